import { html } from '#platform/http/html';
import type { FastifyRequest } from '#platform/http/http';
import {
  openFile,
  renderFacts,
  renderField,
  renderInstant,
  renderStatus,
  wordOfStatus,
} from '#surfaces/frame';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import { readUsers } from '../read-users.ts';
import type { Visit } from '../visit.ts';
import type { Life, Withdrawal } from './answers.ts';
import { clean, renderAmount, renderWithdrawals, userField } from './render-money.ts';

const names = ['userId', 'status', 'bulkId', 'text', 'startDate', 'endDate'] as const;
const states = ['queued', 'pending', 'processing', 'completed', 'failed'];

/** The filters of an address that are filled in. */
function filtersOf({ url }: FastifyRequest): URLSearchParams {
  const given = new URL(url, 'http://partner.invalid').searchParams;
  const filters = new URLSearchParams();
  for (const name of names) {
    const value = given.get(name)?.trim();
    if (value) filters.set(name, value);
  }
  return filters;
}

/** `/partner/withdrawals`, one of them, and the file of the list. */
export function withdrawalRoutes({ page, server }: Mount): void {
  page('/withdrawals', async ({ visit, call, request }) => {
    const filters = filtersOf(request);
    const asked = new URLSearchParams(filters);
    const cursor = new URL(request.url, 'http://partner.invalid').searchParams.get('cursor');
    if (cursor) asked.set('cursor', cursor);
    const { body } = await call({ method: 'GET', url: `/api/withdrawals?${asked.toString()}` });
    const { items, nextCursor } = body as unknown as { items: Withdrawal[]; nextCursor: string | null };
    const { money } = visit.words;
    const older = new URLSearchParams(filters);
    if (nextCursor) older.set('cursor', nextCursor);
    return renderPage(visit, {
      title: money.withdrawals,
      body: html`<h1>${money.withdrawals}</h1>
${visit.role !== 'developer' && html`<p class="actions"><a class="button" href="/partner/withdrawals/new">${money.newWithdrawal}</a> <a class="button quiet" href="/partner/payouts/upload">${money.uploadFile}</a></p>`}
<form class="card command fields filters">${renderField({ ...userField(visit, await readUsers(call), filters.get('userId') ?? '', { withAll: true }) })}
${renderField({ name: 'status', label: money.status, value: filters.get('status') ?? '', choices: [['', money.anyStatus], ...states.map((one) => [one, wordOfStatus(visit, one)] as const)] })}
${renderField({ name: 'text', label: money.text, value: filters.get('text') ?? '', maxLength: 255 })}
${renderField({ name: 'startDate', label: money.from, value: filters.get('startDate') ?? '', help: money.dayHelp })}
${renderField({ name: 'endDate', label: money.until, value: filters.get('endDate') ?? '', help: money.dayHelp })}
${filters.has('bulkId') && html`<input type="hidden" name="bulkId" value="${filters.get('bulkId')}">`}
<p><button>${money.filter}</button></p></form>
<section class="card" id="list" data-live>${renderWithdrawals(visit, items)}
<p class="actions">${nextCursor && html`<a class="button quiet" href="/partner/withdrawals?${older.toString()}">${money.more}</a> `}<a href="/partner/withdrawals/export?${filters.toString()}">${money.export}</a></p></section>`,
    });
  });

  page('/withdrawals/export', async ({ visit, request, reply }) => {
    const url = `/api/withdrawals/export?${filtersOf(request).toString()}`;
    const { headers, stream } = await openFile(server, request, visit.session, { method: 'GET', url });
    reply.header('content-disposition', headers['content-disposition']);
    return reply.type(String(headers['content-type'])).send(stream);
  });

  page('/withdrawals/:id', async ({ visit, call, request }) => {
    const { id } = request.params as { id: string };
    const { body } = await call({ method: 'GET', url: `/api/withdrawals/${encodeURIComponent(id)}` });
    return renderLife(visit, body as unknown as Life);
  });
}

function renderLife(visit: Visit, life: Life): string {
  const { money } = visit.words;
  const total = {
    amount: life.amountToPayToken,
    currency: life.outCurrencyIsoCode,
    network: life.network,
  };
  const title = `${total.amount} ${total.currency}`;
  return renderPage(visit, {
    title,
    body: html`<div id="life" data-live><h1>${title} ${renderStatus(visit, life.status)}</h1>
${life.needsApproval && html`<p class="note">${money.approvalNote}</p>`}
${life.errorMessage && html`<p class="note bad">${money.reason}: <strong>${clean(life.errorMessage, 500)}</strong></p>`}
<section class="card">${renderFacts([
      [money.amount, renderAmount(total)],
      [money.to, html`<code>${life.toAddress}</code>`],
      [money.externalId, clean(life.externalId)],
      [money.hash, life.transactionHash ? html`<code>${life.transactionHash}</code>` : '–'],
      [money.requestedBy, clean(life.requestedByName ?? life.requestedBy)],
      [money.bulk, html`<a href="/partner/payouts/${life.bulkId}"><code>${life.bulkId}</code></a>`],
      [money.id, html`<code>${life.id}</code>`],
    ])}<p class="soft">${money.feeNote}</p></section>
<section class="card"><h2>${money.life}</h2><ol class="timeline">${life.states.map(
      ({ status, at }) =>
        html`<li>${renderInstant(visit, at)} <strong title="${status}">${wordOfStatus(visit, status)}</strong></li>`,
    )}</ol></section></div>`,
  });
}
