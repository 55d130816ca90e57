import type { ListedDeposit } from '#features/deposits';
import { type Content, type Html, html } from '#platform/http/html';
import { showDuration } from '#platform/values/duration';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Field, renderInstant, renderTable } from '#surfaces/frame';
import { type FilteredList, renderFilter, renderNext } from '../filter.ts';
import { answerAddress, depositAddress, formAddress, renderId } from '../links.ts';
import { depositLagMaxSeconds } from '../overview/find-attention.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';

export const filters = ['network', 'currency', 'userId', 'transactionHash', 'startDate', 'endDate'] as const;

/** How far a network is read, by the figures of `/metrics`. */
export interface WatchedNetwork {
  network: string;
  block: number;
  ageSeconds: number | undefined;
  isHalted: boolean;
}

export interface DepositsPage {
  list: FilteredList<(typeof filters)[number]>;
  /** Undefined if they could not be read. */
  networks: readonly WatchedNetwork[] | undefined;
  currencies: readonly string[];
  may(name: string): boolean;
}

const path = '/console/deposits';

/** How far each network is read, and credited deposits, newest first. */
export function renderDeposits(visit: Visit, page: DepositsPage): string {
  const { deposits: words } = visit.words;
  const { list, networks = [], currencies } = page;
  const choicesOf = (values: readonly string[]): Field['choices'] => [
    ['', words.any],
    ...values.map((value) => [value, value] as const),
  ];
  const fields = filters.map((name): Field => {
    const field = { name, label: words.fields[name], maxLength: 100 };
    if (name === 'network') return { ...field, choices: choicesOf(networks.map(({ network }) => network)) };
    if (name === 'currency') return { ...field, choices: choicesOf(currencies) };
    return name === 'startDate' || name === 'endDate' ? { ...field, help: words.dateHelp } : field;
  });
  return renderPage(visit, {
    title: words.title,
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
<section class="card" id="networks" data-live><h2>${words.networks}</h2>${renderNetworks(visit, page)}
<p><a href="${answerAddress('deposits.show')}">${words.details}</a></p></section>
${renderFilter(visit, path, list, fields)}
<section class="card" id="deposits" data-live><h2>${words.title}</h2>${renderList(visit, list.data.items as ListedDeposit[])}
${renderNext(visit, path, list)}</section>`,
  });
}

function renderNetworks(visit: Visit, { networks, may }: DepositsPage): Content {
  const { deposits: words, overview } = visit.words;
  if (!networks) return html`<p class="note bad">${overview.items.unread(words.networks)}</p>`;
  if (networks.length === 0) return html`<p class="soft">${words.noNetworks}</p>`;
  const rows = networks.map(({ network, block, ageSeconds, isHalted }): Content[] => {
    const isBehind = ageSeconds !== undefined && ageSeconds > depositLagMaxSeconds;
    const [tone, state] = isHalted
      ? ['bad', words.halted]
      : isBehind
        ? ['fair', words.behind]
        : ['good', words.reading];
    const age = ageSeconds === undefined ? '–' : showDuration(ageSeconds);
    return [network, String(block), age, html`<span class="status ${tone}">${state}</span>`];
  });
  const halted = networks.filter(({ isHalted }) => isHalted);
  return html`${renderTable(words.networks, [words.network, { number: words.lastBlock }, { number: words.age }, words.state], rows)}
${halted.map(({ network }) => renderHalted(visit, network, may))}`;
}

function renderHalted(
  { words: { deposits: words } }: Visit,
  network: string,
  may: DepositsPage['may'],
): Html {
  const link = (name: string, label: string) =>
    may(name) && html`<a class="button quiet" href="${formAddress(name, { network })}">${label}</a> `;
  return html`<p class="note bad"><strong>${network}</strong>: ${words.halt}</p>
<p class="actions">${link('deposits.check', words.check)}${link('deposits.resume', words.resume)}</p>`;
}

/** Credited deposits, one row each. */
export function renderList(visit: Visit, deposits: readonly ListedDeposit[]): Html {
  const { deposits: words } = visit.words;
  if (deposits.length === 0) return html`<p class="soft">${words.none}</p>`;
  const rows = deposits.map((one): Content[] => [
    html`<a href="${depositAddress(one.transactionHash)}">${one.amount} ${sanitizeText(one.currency)}</a>`,
    sanitizeText(one.network),
    renderId(`/console/users/${one.userId}`, one.userId),
    one.at ? renderInstant(visit, one.at) : '–',
    String(one.confirmations),
    renderId(depositAddress(one.transactionHash), one.transactionHash),
    renderCreditor(visit, one),
  ]);
  const columns = [
    { number: words.amount },
    ...[words.network, words.user, words.at],
    { number: words.confirmations },
    ...[words.transaction, words.credited],
  ];
  return renderTable(words.title, columns, rows);
}

/** Only what the watcher credited to this user is as it should be. */
export function renderCreditor({ words }: Visit, { creditedBy }: ListedDeposit): Html {
  const tone = creditedBy === 'watcher' ? 'good' : creditedBy === 'operator' ? 'fair' : 'bad';
  return html`<span class="status ${tone}">${words.deposits.creditors[creditedBy] ?? creditedBy}</span>`;
}
