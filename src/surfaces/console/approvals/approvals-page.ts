import { type Content, type Html, html } from '#platform/http/html';
import { csrfTokenOf } from '#platform/pages/csrf';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderInstant } from '#surfaces/frame';
import { renderPick, renderPickForm } from '../bulk/pick.ts';
import { addressOf, answerAddress, renderId } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import type { StoredCommand, WaitingPayment } from './read-waiting.ts';

export interface ApprovalsPage {
  stored: readonly StoredCommand[];
  nextCursor: string | null;
  payments: readonly WaitingPayment[];
  /** How many more payments wait for this person. */
  morePayments: number;
  script: string;
}

/** Stored commands with checkboxes, and payments with buttons for a passkey. */
export function renderApprovals(visit: Visit, page: ApprovalsPage): string {
  const { approvals: words } = visit.words;
  const { payments, morePayments, script } = page;
  const waiting = answerAddress('withdrawals.list', { status: 'pending', waitingFor: 'approval' });
  return renderPage(visit, {
    title: words.title,
    scripts: payments.length > 0 ? [script] : [],
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
<section class="card" id="commands"><h2>${words.commands}</h2>${renderStored(visit, page)}
<p><a href="${answerAddress('approvals.list')}">${words.earlier}</a></p></section>
<section class="card" id="payments"><h2>${words.payments}</h2>
${payments.length === 0 ? html`<p class="soft">${words.noPayments}</p>` : html`<ul class="plain">${payments.map((one) => renderPayment(visit, one))}</ul>`}
${morePayments > 0 && html`<p class="soft">${words.more(morePayments)}</p>`}
<p><a href="${waiting}">${words.allPayments}</a></p></section>`,
  });
}

function renderStored(visit: Visit, { stored, nextCursor }: ApprovalsPage): Content {
  const { approvals: words } = visit.words;
  if (stored.length === 0) return html`<p class="soft">${words.noCommands}</p>`;
  const heads = [words.what, words.by, words.since, words.expires];
  const button = (decision: string, label: string, isQuiet = false) =>
    html`<button name="decision" value="${decision}"${isQuiet && html` class="quiet"`}>${label}</button> `;
  const canDecide = stored.some(({ decision }) => decision === 'open');
  return html`<div class="scroll" role="region" aria-label="${words.commands}" tabindex="0"><table>
<thead><tr><th scope="col">${words.decision}</th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${stored.map((one) => renderRow(visit, one))}</tbody></table></div>
${
  canDecide &&
  renderPickForm(visit, 'approvals.decide', {
    buttons: [button('approve', words.approveChosen), button('refuse', words.refuseChosen, true)],
  })
}
${nextCursor && html`<p><a href="${addressOf('/console/approvals', { cursor: nextCursor })}" rel="next">${words.next}</a></p>`}`;
}

function renderRow(visit: Visit, stored: StoredCommand): Html {
  const { approvals: words } = visit.words;
  const { id, command, summary, requestedBy, requestedAt, expiresAt, decision, canShow } = stored;
  const pick =
    decision === 'open'
      ? renderPick(visit, 'approvals.decide', id)
      : html`<span class="soft">${words[decision]}</span>`;
  const input = canShow && html` <a href="${answerAddress('approvals.show', { id })}">${words.input}</a>`;
  return html`<tr><td>${pick}</td><td><strong lang="en">${command}</strong><br><span lang="en" class="soft">${summary}</span>${input}</td>
<td>${sanitizeText(requestedBy)}</td><td>${renderInstant(visit, requestedAt)}</td><td>${renderInstant(visit, expiresAt)}</td></tr>`;
}

function renderPayment(visit: Visit, payment: WaitingPayment): Html {
  const { approvals: words } = visit.words;
  const { withdrawalId, amount, currency, network, toAddress, createdAt, needs, approvedBy } = payment;
  const field = `comment-${withdrawalId}`;
  // The same need is there twice: as the rules say now, and as they said at the creation.
  const asked = new Set(needs.map(({ count, role, rule }) => words.needs(count, role, sanitizeText(rule))));
  return html`<li class="payment"><p><strong>${amount} ${currency}</strong> (${network}) ${words.to} <code>${toAddress}</code>
${renderId(`/console/withdrawals/${withdrawalId}`, withdrawalId)} ${renderInstant(visit, createdAt)}</p>
<ul>${[...asked].map((text) => html`<li>${text}</li>`)}</ul>
${approvedBy.length > 0 && html`<p>${words.approvedBy(approvedBy.map((name) => sanitizeText(name)).join(', '))}</p>`}
<form class="decide" data-decide="/people/approvals/${withdrawalId}" data-csrf="${csrfTokenOf(visit.session.secret)}" data-texts="${JSON.stringify(words.script)}">
<label for="${field}">${words.comment}</label><input id="${field}" name="comment" maxlength="500" autocomplete="off">
<p class="actions"><button type="button" value="approve" disabled>${words.approve}</button> <button type="button" value="refuse" class="quiet" disabled>${words.refuse}</button></p>
<p role="alert" class="fault"></p><noscript><p class="note">${words.noScript}</p></noscript></form></li>`;
}
