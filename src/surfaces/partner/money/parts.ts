import { contextFor, type Deps } from '#context';
import { listAllowedUsers } from '#features/partners';
import { shorten } from '#platform/commands/values';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Field, renderInstant, renderStatus } from '#surfaces/frame';
import type { Visit } from '../visit.ts';
import type { Limit, Total, Withdrawal } from './answers.ts';

/** A list of more would not help to find one. */
const usersMax = 200;

/** Users on the partner's list with their emails; undefined if they are too many to choose from. */
export async function usersOf(
  deps: Deps,
  { partnerId, session }: Visit,
): Promise<readonly (readonly [string, string])[] | undefined> {
  const actor = { kind: 'person', personId: session.person.id } as const;
  const ctx = contextFor(deps, actor, deps.log);
  const { items, nextCursor } = await listAllowedUsers(ctx, { partnerId, limit: usersMax });
  return nextCursor === null ? items.map(({ userId, email }) => [userId, email] as const) : undefined;
}

/** A choice of users, or a box for an id if they are many. */
export const userField = (
  { words }: Visit,
  users: Awaited<ReturnType<typeof usersOf>>,
  value: string,
  { withAll = false } = {},
): Field => ({
  name: 'userId',
  label: words.money.user,
  value,
  ...(users && { choices: withAll ? [['', words.money.allUsers] as const, ...users] : users }),
});

/** A table that scrolls in its box. `heads` with true are numbers. */
export const renderTable = (
  label: string,
  heads: readonly (readonly [string, boolean?])[],
  rows: readonly (readonly Content[])[],
): Html => html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads.map(([head, isNumber]) => html`<th scope="col"${isNumber && html` class="number"`}>${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, at) => html`<td${heads[at]![1] && html` class="number"`}>${cell}</td>`)}</tr>`)}</tbody></table></div>`;

export const facts = (pairs: readonly (readonly [string, Content])[]): Html =>
  html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

export const clean = (text: string | null, max = 255): string => (text ? sanitizeText(text, max) : '–');

export const renderAmount = ({ amount, currency, network }: Total): Html =>
  html`<strong>${amount}</strong> ${currency} <small>${network}</small>`;

export function renderWithdrawals(visit: Visit, items: readonly Withdrawal[]): Html {
  const { money } = visit.words;
  if (items.length === 0) return html`<p class="soft">${money.none}</p>`;
  return renderTable(
    money.withdrawals,
    [[money.status], [money.amount, true], [money.to], [money.externalId], [money.created], [money.reason]],
    items.map((item) => [
      html`<a href="/partner/withdrawals/${item.id}">${renderStatus(item.status)}</a>`,
      renderAmount({
        amount: item.amountToPayToken,
        currency: item.outCurrencyIsoCode,
        network: item.network,
      }),
      html`<code title="${item.toAddress}">${shorten(item.toAddress)}</code>`,
      clean(item.externalId),
      renderInstant(visit, item.createdAt),
      item.needsApproval ? money.needApproval : clean(item.errorMessage, 200),
    ]),
  );
}

export function renderLimits(visit: Visit, limits: readonly Limit[]): Html {
  const { money } = visit.words;
  if (limits.length === 0) return html`<p class="soft">${money.noLimits}</p>`;
  return renderTable(
    money.limits,
    [
      [money.rule],
      [money.asset],
      [money.window],
      [money.used, true],
      [money.remaining, true],
      [money.grows],
      [money.beyond],
    ],
    limits.map((limit) => [
      clean(limit.rule),
      html`${limit.currency} <small>${limit.network ?? ''}</small>`,
      limit.window,
      html`${limit.used ?? '–'} / ${limit.limit}`,
      limit.remaining ?? '–',
      limit.growsAt ? renderInstant(visit, limit.growsAt) : '–',
      money.beyondWords[limit.beyond] ?? limit.beyond,
    ]),
  );
}
