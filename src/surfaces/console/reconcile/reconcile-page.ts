import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderCsrf, renderInstant } from '#surfaces/frame';
import { addressOf, formAddress, searchAddress } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';

/** Parts of the answer of `treasury.show`. */
export interface Network {
  network: string;
  reconciledAt: string | null;
  block: number | null;
  isCounting: boolean;
}

export interface Asset {
  network: string;
  currency: string;
  chain: string;
  owed: string;
  difference: string;
  unexplained: string;
  shortfall: string;
  since: string | null;
  explanations: { name: string; amount: string; count: number; examples: string[] }[];
}

/** Networks with a halt; undefined if it could not be read. */
export interface Halts {
  wallets: readonly string[] | undefined;
  deposits: readonly string[] | undefined;
}

export interface ReconcilePage {
  networks: readonly Network[];
  assets: readonly Asset[];
  halts: Halts;
  may(name: string): boolean;
}

/** What the chain has and what the books say, by network and token, and what to do where they differ. */
export function renderReconcile(visit: Visit, page: ReconcilePage): string {
  const { reconcile: words } = visit.words;
  const unread = page.halts.wallets === undefined || page.halts.deposits === undefined;
  return renderPage(visit, {
    title: words.title,
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
${page.may('treasury.reconcile') && html`<p>${renderRun(visit, words.runAll)}</p>`}
${unread && html`<p class="note bad">${visit.words.overview.items.unread(words.halts)}</p>`}
${page.networks.map((network) => renderNetwork(visit, page, network))}
${page.may('ledger.verify') && html`<p><a class="button quiet" href="${formAddress('ledger.verify')}">${words.verify}</a></p>`}`,
  });
}

const renderRun = (visit: Visit, label: string, network?: string): Html =>
  html`<form method="post" action="/console/commands/treasury.reconcile">${renderCsrf(visit.session)}<input type="hidden" name="step" value="review">${network && html`<input type="hidden" name="network" value="${network}">`}<button class="quiet">${label}</button></form>`;

function renderNetwork(visit: Visit, page: ReconcilePage, one: Network): Html {
  const { reconcile: words } = visit.words;
  const { network, reconciledAt, block, isCounting } = one;
  const assets = page.assets.filter((asset) => asset.network === network);
  const last = reconciledAt
    ? html`${words.last} ${renderInstant(visit, reconciledAt)}, ${words.block} ${block}`
    : words.never;
  const isHalted = page.halts.wallets?.includes(network);
  const isStopped = page.halts.deposits?.includes(network);
  return html`<section class="card" id="${network}"><h2>${network}</h2><p class="soft">${last}</p>
${isCounting && html`<p class="note">${words.counting}</p>`}
${isHalted && html`<p class="note bad"><a href="/console/wallets">${words.walletHalted}</a></p>`}
${isStopped && html`<p class="note bad">${words.depositsHalted}</p>`}
${assets.length > 0 && renderAssets(visit, network, assets)}
${renderTodo(visit, page, network, assets)}
<div class="actions">${page.may('treasury.reconcile') && renderRun(visit, words.run, network)}
<a class="button quiet" href="${addressOf('/console/deposits', { network })}">${words.deposits}</a> ${page.may('deposits.check') && html`<a class="button quiet" href="${formAddress('deposits.check', { network })}">${words.checkDeposits}</a> `}${page.may('treasury.reopen') && html`<a class="button quiet" href="${formAddress('treasury.reopen', { network })}">${words.reopen}</a>`}</div></section>`;
}

const isZero = (amount: string) => Number(amount) === 0;

function renderAssets(visit: Visit, network: string, assets: readonly Asset[]): Html {
  const { reconcile: words } = visit.words;
  const heads = [words.token, words.chain, words.books, words.difference, words.unexplained, words.shortfall];
  return html`<div class="scroll" role="region" aria-label="${network}" tabindex="0"><table>
<thead><tr>${heads.map((head, at) => html`<th scope="col"${at > 0 && html` class="number"`}>${head}</th>`)}<th scope="col">${words.since}</th></tr></thead>
<tbody>${assets.map((asset) => {
    const tone = (amount: string): Content =>
      isZero(amount) ? amount : html`<strong class="bad">${amount}</strong>`;
    return html`<tr><td>${sanitizeText(asset.currency)}</td><td class="number">${asset.chain}</td><td class="number">${asset.owed}</td><td class="number">${asset.difference}</td><td class="number">${tone(asset.unexplained)}</td><td class="number">${tone(asset.shortfall)}</td><td>${asset.since ? renderInstant(visit, asset.since) : '–'}</td></tr>`;
  })}</tbody></table></div>
${assets.filter(({ explanations }) => explanations.length > 0).map((asset) => renderExplanations(visit, asset))}`;
}

/** Every difference by name, with some of its transfers. */
function renderExplanations(visit: Visit, { currency, explanations }: Asset): Html {
  const { reconcile: words } = visit.words;
  const rows = explanations.map(({ name, amount, count, examples }) => {
    const links = examples.map((key) => {
      const [hash = ''] = key.split(':');
      return html`<a href="${searchAddress(hash)}"><code>${hash.slice(0, 10)}…</code></a> `;
    });
    return html`<tr><td lang="en">${name}</td><td class="number">${amount}</td><td class="number">${count}</td><td>${links}</td></tr>`;
  });
  return html`<details><summary>${words.explained(sanitizeText(currency))}</summary><table><thead><tr><th scope="col">${words.cause}</th><th scope="col" class="number">${words.amount}</th><th scope="col" class="number">${words.count}</th><th scope="col">${words.examples}</th></tr></thead><tbody>${rows}</tbody></table></details>`;
}

/** What helps, worst first. */
function renderTodo(visit: Visit, { may }: ReconcilePage, network: string, assets: readonly Asset[]): Html {
  const { reconcile: words } = visit.words;
  const short = assets.filter(({ shortfall }) => !isZero(shortfall));
  const strange = assets.some(({ unexplained }) => !isZero(unexplained));
  if (assets.length === 0) return html`<p>${words.todo.never}</p>`;
  if (short.length === 0)
    return html`<p class="${strange ? 'bad' : 'good'}">${strange ? words.todo.unexplained : words.todo.none}</p>`;
  return html`<p class="note bad">${words.todo.shortfall}</p>
${
  may('treasury.accept') &&
  html`<p>${short.map(({ currency, shortfall: amount }) => html`<a class="button quiet" href="${formAddress('treasury.accept', { network, currency, amount })}">${words.accept(amount, currency)}</a> `)}</p>`
}`;
}
