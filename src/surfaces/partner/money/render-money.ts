import { shorten } from '#platform/commands/values';
import { type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Field, renderInstant, renderStatus, renderTable } from '#surfaces/frame';
import type { KnownUsers } from '../read-users.ts';
import type { Visit } from '../visit.ts';
import type { Limit, Total, Withdrawal } from './answers.ts';

/** A choice of users, or a box for an id if they are many. */
export const userField = (
  { words }: Visit,
  { choices, isCut }: KnownUsers,
  value: string,
  { withAll = false } = {},
): Field => ({
  name: 'userId',
  label: words.money.user,
  value,
  ...(!isCut && { choices: withAll ? [['', words.money.allUsers] as const, ...choices] : choices }),
});

export const clean = (text: string | null, max = 255): string => (text ? sanitizeText(text, max) : '–');

export const renderAmount = ({ amount, currency, network }: Total): Html =>
  html`<strong>${amount}</strong> ${currency} <small>${network}</small>`;

export function renderWithdrawals(visit: Visit, items: readonly Withdrawal[]): Html {
  const { money } = visit.words;
  if (items.length === 0) return html`<p class="soft">${money.none}</p>`;
  return renderTable(
    money.withdrawals,
    [money.status, { number: money.amount }, money.to, money.externalId, money.created, money.reason],
    items.map((item) => [
      html`<a href="/partner/withdrawals/${item.id}">${renderStatus(visit, item.status)}</a>`,
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
      money.rule,
      money.asset,
      money.window,
      { number: money.used },
      { number: money.remaining },
      money.grows,
      money.beyond,
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
