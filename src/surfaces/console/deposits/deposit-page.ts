import type { ListedDeposit } from '#features/deposits';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderFacts, renderInstant } from '#surfaces/frame';
import { addressOf, formAddress, searchAddress } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { renderCreditor } from './deposits-page.ts';

export interface DepositPage {
  /** Of one transaction; it may pay several wallets of ours. */
  deposits: readonly ListedDeposit[];
  may(name: string): boolean;
}

/** The deposits of a transaction: what is on chain, and the line that credits it. */
export function renderDeposit(visit: Visit, page: DepositPage): string {
  const { deposits: words } = visit.words;
  const { deposits } = page;
  const [{ amount, currency, transactionHash }] = deposits as [ListedDeposit];
  const title =
    deposits.length === 1 ? words.pageTitle(amount, sanitizeText(currency)) : words.several(deposits.length);
  return renderPage(visit, {
    title,
    body: html`<h1>${title}</h1>
${deposits.map((one) => renderOne(visit, page, one))}
<p><a href="${searchAddress(transactionHash)}">${words.everything}</a></p>`,
  });
}

function renderOne(visit: Visit, { deposits, may }: DepositPage, one: ListedDeposit): Html {
  const { deposits: words } = visit.words;
  const { network, currency, amount, userId, blockNumber, creditedBy } = one;
  const check = formAddress('deposits.check', { network, fromBlock: String(blockNumber) });
  const verify = formAddress('ledger.verify', { userId });
  const tone = creditedBy === 'watcher' ? '' : creditedBy === 'operator' ? 'fair' : 'bad';
  return html`<section class="card">${deposits.length > 1 && html`<h2>${amount} ${sanitizeText(currency)}</h2>`}
<p class="note ${tone}">${words.explained[creditedBy] ?? creditedBy}</p>
<h2>${words.chain}</h2>${renderChain(visit, one)}
<h2>${words.line}</h2>${renderLine(visit, one)}
<p class="actions">${may('deposits.check') && html`<a class="button quiet" href="${check}">${words.check}</a> `}${may('ledger.verify') && html`<a class="button quiet" href="${verify}">${words.verify}</a> `}<a class="button quiet" href="${addressOf('/console/deposits', { userId })}">${words.ofUser}</a></p></section>`;
}

function renderChain(visit: Visit, one: ListedDeposit): Html {
  const { deposits: words } = visit.words;
  const { wallet, transactionHash: hash } = one;
  return renderFacts([
    [words.amount, html`<strong>${one.amount} ${sanitizeText(one.currency)}</strong>`],
    [words.credited, renderCreditor(visit, one)],
    [words.user, html`<a href="/console/users/${one.userId}"><code>${one.userId}</code></a>`],
    [words.network, sanitizeText(one.network)],
    [words.wallet, html`<a href="${searchAddress(wallet)}"><code>${wallet}</code></a>`],
    [words.hash, html`<a href="${searchAddress(hash)}"><code>${hash}</code></a>`],
    [words.block, String(one.blockNumber)],
    [words.logIndex, String(one.logIndex)],
    [words.confirmations, String(one.confirmations)],
  ]);
}

function renderLine(visit: Visit, one: ListedDeposit): Content {
  const { deposits: words } = visit.words;
  if (one.postingId === null) return html`<p>–</p>`;
  return renderFacts([
    [words.lineNumber, one.lineNumber === null ? '–' : String(one.lineNumber)],
    [words.description, sanitizeText(one.description ?? '–', 500)],
    [words.lineDate, one.at ? renderInstant(visit, one.at) : '–'],
    [words.postedAt, one.postedAt ? renderInstant(visit, one.postedAt) : '–'],
    [words.posting, one.postingId],
    [words.lineKey, html`<code>${sanitizeText(one.lineKey ?? '–')}</code>`],
  ]);
}
