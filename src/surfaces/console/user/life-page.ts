import type { Item } from '#platform/commands/values';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderInstant, renderStatus, wordOfStatus } from '#surfaces/frame';
import { auditAddress } from '../audit/audit-page.ts';
import { addressOf, depositAddress, placeOf } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { type History, type LifeRow, type Places, type Source, writePlaces } from './read-life.ts';

export const lifeAddress = (userId: string) => `/console/users/${encodeURIComponent(userId)}/life`;

export interface LifePage {
  user: Item;
  rows: readonly LifeRow[];
  next: Places | null;
  histories: ReadonlyMap<string, History>;
}

/** Everything that happened to a user, newest first. */
export function renderLife(visit: Visit, { user, rows, next, histories }: LifePage): string {
  const { life: words, result } = visit.words;
  const id = String(user.id);
  const title = words.title(sanitizeText(`${user.givenName} ${user.familyName}`));
  const address = next && addressOf(lifeAddress(id), { after: writePlaces(next) });
  return renderPage(visit, {
    title,
    body: html`<h1>${title}</h1><p class="lead">${words.lead} <a href="/console/users/${id}">${words.toUser}</a></p>
<section class="card" id="life">${rows.length === 0 ? html`<p class="soft">${result.empty}</p>` : html`<ol class="timeline">${rows.map((row) => renderRow(visit, row, { userId: id, history: histories.get(String(row.row.id)) }))}</ol>`}
${address && html`<p><a class="button quiet" rel="next" href="${address}">${words.older}</a></p>`}</section>`,
  });
}

function renderRow(
  visit: Visit,
  { source, at, row }: LifeRow,
  { userId, history }: { userId: string; history: History | undefined },
): Html {
  const { what, address, detail } = describe[source](visit, row, userId);
  const time = at === undefined ? html`<span class="soft">–</span>` : renderInstant(visit, at);
  return html`<li>${time} <a href="${address}"><strong>${what}</strong></a>${detail && html` ${detail}`}${history && renderHistory(visit, history)}</li>`;
}

/** Each state of a withdrawal and each decision about it, in order of time. */
function renderHistory(visit: Visit, { states, decisions }: History): Html {
  const { withdrawal } = visit.words;
  const moments = [
    ...states.map(({ status, at }) => ({ at, what: wordOfStatus(visit, status), comment: null })),
    ...decisions.map(({ name, decision, comment, decidedAt }) => ({
      at: decidedAt,
      what: html`<strong>${sanitizeText(withdrawal.decided[decision](name), 200)}</strong>`,
      comment,
    })),
  ].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  return html`<ul class="steps">${moments.map(({ at, what, comment }) => html`<li>${what} ${renderInstant(visit, at)}${comment && html` <span class="soft">${text(comment)}</span>`}</li>`)}</ul>`;
}

interface Described {
  what: string;
  address: string;
  detail?: Content;
}

const text = (value: unknown) => sanitizeText(String(value ?? '–'), 200);

const describe: Readonly<Record<Source, (visit: Visit, row: Item, userId: string) => Described>> = {
  audit: ({ words }, { action, actorId, after }, userId) => {
    const reason = (after as Item | null)?.suspendedReason ?? (after as Item | null)?.reason;
    return {
      what: words.withdrawal.audit(text(action), text(actorId)),
      address: auditAddress({ subject: `user:${userId}`, action: String(action) }),
      detail: typeof reason === 'string' && html`<span class="soft">${text(reason)}</span>`,
    };
  },
  withdrawals: (visit, { id, amount, currency, status }) => ({
    what: visit.words.life.withdrawal(text(amount), text(currency)),
    address: `/console/withdrawals/${id}`,
    detail: renderStatus(visit, String(status)),
  }),
  deposits: ({ words }, { transactionHash, amount, currency, network }) => ({
    what: words.deposits.pageTitle(text(amount), text(currency)),
    address: depositAddress(String(transactionHash)),
    detail: html`<span class="soft">${text(network)}</span>`,
  }),
  cards: (visit, { id, lastFourDigits, status }) => ({
    what: visit.words.life.card(text(lastFourDigits)),
    address: placeOf('cards.list', 'id', id)!,
    detail: renderStatus(visit, String(status)),
  }),
  consents: (visit, { id, purpose, status }) => ({
    what: visit.words.life.consent(text(purpose)),
    address: placeOf('consents.list', 'id', id)!,
    detail: renderStatus(visit, String(status)),
  }),
};
