import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderFacts, renderField, renderInstant, renderTable } from '#surfaces/frame';
import { renderNext } from '../filter.ts';
import { addressOf, answerAddress, formAddress, renderId } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';

/** What the last verification found; parts of the answer of `ledger.verdicts`. */
export interface Verdict {
  isSound: boolean;
  faultCount: number;
  faults: { subject: string; message: string }[];
  sinceLast: boolean;
  lastNumber: number | null;
  lastHash: string | null;
  actorId: string;
  checkedAt: string;
}

export interface LedgerState {
  userId: string;
  verdict: Verdict | null;
  lastNumber: number;
  lastHash: string | null;
}

export interface LedgersPage {
  all: Verdict | null;
  books: Verdict | null;
  items: readonly LedgerState[];
  nextCursor: unknown;
  mayVerify: boolean;
}

const path = '/console/ledger';
export const ledgerAddress = (userId: string) => addressOf(path, { userId });

/** The books as a whole, and the ledgers in which the last verification found a fault. */
export function renderLedgers(
  visit: Visit,
  { all, books, items, nextCursor, mayVerify }: LedgersPage,
): string {
  const { ledger: words, form } = visit.words;
  const rows = items.map(({ userId, verdict }): Content[] => [
    renderId(ledgerAddress(userId), userId),
    renderState(visit, verdict),
    verdict ? renderInstant(visit, verdict.checkedAt) : '–',
    verdict ? sanitizeText(verdict.actorId) : '–',
  ]);
  const run = all
    ? html`${renderInstant(visit, all.checkedAt)}, ${words.by.toLowerCase()} ${sanitizeText(all.actorId)} (${scopeOf(visit, all)})`
    : words.never;
  return renderPage(visit, {
    title: words.title,
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
<section class="card"><h2>${words.whole}</h2>${renderFacts([
      [
        words.books,
        html`${renderState(visit, books)}${books && html` · ${renderInstant(visit, books.checkedAt)}, ${words.by.toLowerCase()} ${sanitizeText(books.actorId)}`}`,
      ],
      [words.run, run],
    ])}${books && renderFaults(visit, books)}
${mayVerify && html`<p class="actions"><a class="button quiet" href="${formAddress('ledger.verify')}">${words.verifyAll}</a></p>`}</section>
<section class="card" id="faulty"><h2>${words.faulty}</h2>${
      rows.length === 0
        ? html`<p class="good">${words.noFaulty}</p>`
        : html`<p class="note bad">${words.todo}</p>${renderTable(words.faulty, [words.user, words.state, words.at, words.by], rows)}`
    }${renderNext(visit, path, { given: {}, data: { nextCursor } })}</section>
<section class="card"><h2>${words.find}</h2><form class="command" method="get" action="${path}">${renderField({ name: 'userId', label: words.userId, required: true, maxLength: 36 })}<p><button class="quiet">${form.show}</button></p></form></section>`,
  });
}

/** One ledger: what was found, who verified it, and where it ended then and ends now. */
export function renderLedger(visit: Visit, state: LedgerState, mayVerify: boolean): string {
  const { ledger: words } = visit.words;
  const { userId, verdict } = state;
  const button = (label: string, fields: Record<string, string>, tone: string) =>
    html`<a class="button${tone}" href="${answerAddress('ledger.verify', { userId, ...fields })}">${label}</a> `;
  return renderPage(visit, {
    title: words.ofUser,
    body: html`<h1>${words.ofUser}</h1>
<p class="lead"><a href="/console/users/${userId}"><code>${userId}</code></a></p>
<section class="card"><h2>${renderState(visit, verdict)}</h2>
${verdict && !verdict.isSound && html`<p class="note bad">${words.todo}</p>`}
${isReplaced(state) && html`<p class="note bad">${words.replaced}</p>`}
${renderFacts([
  verdict !== null && [words.at, renderInstant(visit, verdict.checkedAt)],
  verdict !== null && [words.by, sanitizeText(verdict.actorId)],
  verdict !== null && [words.scope, scopeOf(visit, verdict)],
  verdict !== null &&
    verdict.lastNumber !== null && [words.headThen, renderHead(verdict.lastNumber, verdict.lastHash)],
  [words.headNow, state.lastNumber > 0 ? renderHead(state.lastNumber, state.lastHash) : words.noLines],
  verdict !== null &&
    verdict.lastNumber !== null && [
      words.linesSince,
      String(Math.max(state.lastNumber - verdict.lastNumber, 0)),
    ],
])}
${verdict && renderFaults(visit, verdict)}
${mayVerify && html`<p class="actions">${button(words.verify, {}, '')}${verdict && button(words.verifySince, { sinceLast: 'true' }, ' quiet')}</p>`}</section>`,
  });
}

const scopeOf = ({ words: { ledger } }: Visit, { sinceLast }: Verdict) =>
  sinceLast ? ledger.scopes.since : ledger.scopes.whole;

/** Lines only follow: the one that was the last has its hash for ever. */
const isReplaced = ({ verdict, lastNumber, lastHash }: LedgerState) =>
  verdict !== null &&
  verdict.lastNumber !== null &&
  (lastNumber < verdict.lastNumber || (lastNumber === verdict.lastNumber && lastHash !== verdict.lastHash));

const renderHead = (number: number, hash: string | null): Html =>
  html`${number} <code class="address">${hash ?? '–'}</code>`;

export function renderState({ words: { ledger } }: Visit, verdict: Verdict | null): Html {
  if (!verdict) return html`<span class="status fair">${ledger.never}</span>`;
  if (verdict.isSound) return html`<span class="status good">${ledger.sound}</span>`;
  return html`<span class="status bad">${ledger.faults(verdict.faultCount)}</span>`;
}

function renderFaults({ words: { ledger } }: Visit, { faults, faultCount }: Verdict): Content {
  if (faultCount === 0) return '';
  const more = faultCount - faults.length;
  return html`<h3>${ledger.faultsTitle}</h3><ul lang="en">${faults.map(
    ({ subject, message }) =>
      html`<li><strong>${sanitizeText(subject, 200)}</strong>: ${sanitizeText(message, 500)}</li>`,
  )}</ul>${more > 0 && html`<p class="soft">${ledger.moreFaults(more)}</p>`}`;
}
