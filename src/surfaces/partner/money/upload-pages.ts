import { shorten } from '#platform/commands/values';
import type { Refusal } from '#platform/errors/errors';
import { type Content, type Html, html } from '#platform/http/html';
import { parseMinor } from '#platform/values/money';
import {
  renderAction,
  renderFacts,
  renderInstant,
  renderTable,
  scriptsOf,
  wordOfStatus,
} from '#surfaces/frame';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import type { Bulk, Preview, Withdrawal } from './answers.ts';
import { clean, renderAmount, renderWithdrawals } from './render-money.ts';

/** More would not be read, and a page stays small. */
const rowsShown = 50;
const faultsShown = 100;

/** What a file would do, and the button that pays it. */
export function renderPreview(
  visit: Visit,
  { preview, once, refusal }: { preview: Preview; once: string; refusal?: Refusal },
): string {
  const { money } = visit.words;
  const { upload } = money;
  const { rows, faults, totals, verdicts, paid, repeats } = preview;
  const isPayable = faults.length === 0 && (verdicts === null || verdicts.denied.length === 0);
  const action = {
    to: `/partner/payouts/upload/${preview.id}`,
    label: upload.pay(rows.length),
    once,
    stepUp: true,
    hidden: { times: String(paid.length), repeats: String(repeats.length) },
    ...(paid.length > 0 && {
      fields: html`<p><label class="choice"><input type="checkbox" name="again" value="1"> ${upload.again}</label></p>`,
    }),
  };
  return renderPage(visit, {
    title: upload.previewTitle,
    scripts: isPayable ? scriptsOf(visit, action) : [],
    body: html`<h1>${upload.previewTitle}</h1>
${refusal && renderRefusal(visit, refusal)}
${paid.length > 0 && renderPaid(visit, paid)}
${repeats.length > 0 && renderRepeats(visit, repeats)}
${faults.length > 0 && renderFaults(visit, faults)}
${verdicts && renderVerdicts(visit, verdicts)}
<section class="card"><h2>${upload.totals}</h2>${renderTable(
      upload.totals,
      [money.asset, { number: upload.rows }, { number: money.amount }, { number: upload.available }],
      totals.map((total) => [
        html`${total.currency} <small>${total.network}</small>`,
        total.count,
        total.amount,
        total.available,
      ]),
    )}
${totals.some(({ amount, available }) => isMore(amount, available)) && html`<p class="note bad">${upload.notEnough}</p>`}
<p class="soft">${money.feeNote}</p>
${isPayable && renderAction(visit, action)}</section>
<section class="card"><h2>${upload.first(Math.min(rowsShown, rows.length), rows.length)}</h2>${renderTable(
      upload.rows,
      [{ number: upload.row }, money.to, { number: money.amount }, money.asset, money.externalId],
      rows
        .slice(0, rowsShown)
        .map(({ row, to, amount, currency, network, externalId }) => [
          row,
          clean(to, 100),
          clean(amount, 80),
          html`${clean(currency, 20)} <small>${clean(network, 40)}</small>`,
          clean(externalId, 100),
        ]),
    )}</section>`,
  });
}

const renderRefusal = ({ words }: Visit, { code, message }: Refusal): Html =>
  code === 'more_repeats'
    ? html`<p class="note bad" role="alert">${words.money.upload.newRepeats}</p>`
    : html`<p class="note bad" lang="en" role="alert">${message}</p>`;

const renderPaid = (visit: Visit, paid: Preview['paid']): Html => {
  const { upload } = visit.words.money;
  return html`<div class="note">${paid.map(
    ({ bulkId, createdAt }) =>
      html`<p>${upload.paidBefore} ${renderInstant(visit, createdAt)} ${upload.paidAs} <a href="/partner/payouts/${bulkId}"><code>${shorten(bulkId)}</code></a>.</p>`,
  )}</div>`;
};

/** Rows that may pay somebody twice. They can be meant, so the file stays payable. */
function renderRepeats(visit: Visit, repeats: Preview['repeats']): Html {
  const { upload } = visit.words.money;
  const described = repeats
    .slice(0, faultsShown)
    .map(({ row, likeRow, like }) => [
      row,
      html`${likeRow !== null && html`<p>${upload.likeRow(likeRow)}</p>`}${
        like &&
        html`<p>${upload.likePaid} <a href="/partner/withdrawals/${like.id}"><code>${shorten(like.id)}</code></a>, ${renderInstant(visit, like.createdAt)}</p>`
      }`,
    ]);
  return html`<section class="card fault" role="alert" id="repeats"><h2>${upload.repeats(repeats.length)}</h2>
<p>${upload.repeatsHelp}</p>${renderTable(upload.repeat, [{ number: upload.row }, upload.repeat], described)}
${repeats.length > faultsShown && html`<p class="soft">${upload.first(faultsShown, repeats.length)}</p>`}</section>`;
}

function renderFaults({ words }: Visit, faults: Preview['faults']): Html {
  const { upload } = words.money;
  return html`<section class="card fault" role="alert"><h2>${upload.faults(faults.length)}</h2>${renderTable(
    upload.fault,
    [{ number: upload.row }, upload.field, upload.fault],
    faults
      .slice(0, faultsShown)
      .map(({ row, field, message }) => [row, clean(field), html`<span lang="en">${clean(message)}</span>`]),
  )}</section>`;
}

function renderVerdicts({ words }: Visit, verdicts: NonNullable<Preview['verdicts']>): Content {
  const { upload } = words.money;
  if (verdicts.denied.length > 0)
    return html`<section class="card fault" role="alert"><p>${upload.denied}</p>${renderTable(
      upload.fault,
      [{ number: upload.row }, upload.fault],
      verdicts.denied
        .slice(0, faultsShown)
        .map(({ row, message }) => [row, html`<span lang="en">${clean(message)}</span>`]),
    )}</section>`;
  return verdicts.needApproval ? html`<p class="note">${upload.approvals(verdicts.needApproval)}</p>` : false;
}

/** How far a bulk is. */
export function renderBulk(
  visit: Visit,
  { bulk, failed, isBefore }: { bulk: Bulk; failed: readonly Withdrawal[]; isBefore: boolean },
): string {
  const { money } = visit.words;
  const { progress } = money;
  const ended = (bulk.byStatus.completed ?? 0) + (bulk.byStatus.failed ?? 0);
  const query = new URLSearchParams({ bulkId: bulk.bulkId }).toString();
  return renderPage(visit, {
    title: progress.title,
    body: html`<h1>${progress.title}</h1>
${isBefore && html`<p class="note">${progress.replay}</p>`}
<div id="progress" data-live><section class="card"><p><progress max="${bulk.count}" value="${ended}" aria-label="${progress.title}"></progress> ${ended} / ${bulk.count}</p>
${renderFacts([
  ...Object.entries(bulk.byStatus)
    .filter(([, count]) => count > 0)
    .map(
      ([status, count]) =>
        [
          wordOfStatus(visit, status),
          html`<a title="${status}" href="/partner/withdrawals?${query}&status=${status}">${count}</a>`,
        ] as const,
    ),
  [money.needApproval, bulk.needApproval],
  [money.amount, bulk.totals.map((total) => html`<p>${renderAmount(total)}</p>`)],
  [money.requestedBy, clean(bulk.requestedByName ?? bulk.requestedBy)],
  [money.created, renderInstant(visit, bulk.createdAt)],
  [money.id, html`<code>${bulk.bulkId}</code>`],
])}
<p class="soft">${money.feeNote}</p>
<p class="actions"><a href="/partner/withdrawals?${query}">${progress.all}</a> <a href="/partner/withdrawals/export?${query}">${money.export}</a></p></section>
${failed.length > 0 && html`<section class="card"><h2>${progress.failedRows}</h2>${renderWithdrawals(visit, failed)}</section>`}</div>`,
  });
}

const decimalsMax = 36;
const isMore = (one: string, other: string) =>
  parseMinor(one, decimalsMax)! > parseMinor(other, decimalsMax)!;
