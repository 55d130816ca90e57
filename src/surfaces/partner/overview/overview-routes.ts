import { html } from '#platform/http/html';
import { renderFacts } from '#surfaces/frame';
import type { Summary } from '../money/answers.ts';
import { renderAmount } from '../money/render-money.ts';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';

/** `/partner`. */
export function overviewRoutes({ page }: Mount): void {
  page('', async ({ visit, call }) => {
    const { overview, money } = visit.words;
    const { body } = await call({ method: 'GET', url: '/api/withdrawals/summary' });
    const { waiting, needApproval, completed, failed, paid } = body as unknown as Summary;
    const items = [
      ...(failed > 0 ? [[money.attentionFailed(failed), '/partner/withdrawals?status=failed'] as const] : []),
      ...(needApproval > 0
        ? [[money.attentionApproval(needApproval), '/partner/withdrawals?status=pending'] as const]
        : []),
    ];
    return renderPage(visit, {
      title: overview.title,
      body: html`<h1>${overview.title}</h1>
${visit.role !== 'developer' && html`<p class="actions"><a class="button" href="/partner/withdrawals/new">${money.newWithdrawal}</a> <a class="button quiet" href="/partner/payouts/upload">${money.uploadFile}</a></p>`}
<section class="card" id="attention" data-live aria-live="polite"><h2>${money.attention}</h2>
${items.length === 0 ? html`<p class="good">${money.calm}</p>` : html`<ul class="plain attention">${items.map(([text, address]) => html`<li class="fair"><a href="${address}">${text}</a></li>`)}</ul>`}</section>
<section class="card" id="figures" data-live><h2><a href="/partner/withdrawals">${money.withdrawals}</a></h2>${renderFacts(
        [
          [money.waiting, waiting],
          [money.needApproval, needApproval],
          [money.completed, html`${completed}${paid.map((total) => html`<p>${renderAmount(total)}</p>`)}`],
          [money.failed, failed],
          [money.limits, html`<a href="/partner/limits">${money.show}</a>`],
          [overview.role, visit.role],
        ],
      )}</section>`,
    });
  });
}
