import { type Content, type Html, html } from '#platform/http/html';
import type { Colleague } from '../read-team.ts';
import { renderCode, renderRows, renderText, renderTime } from '../tables.ts';
import type { Visit } from '../visit.ts';

export interface LoggedRequest {
  requestId: string;
  at: string;
  by: 'key' | 'person';
  keyId: string | null;
  personId: string | null;
  method: string;
  route: string;
  path: string;
  status: number;
  errorCode: string | null;
  durationMs: number;
  callerAddress: string;
}

export function renderRequests(
  visit: Visit,
  requests: readonly LoggedRequest[],
  { isOfOneKey = false, team = [] }: { isOfOneKey?: boolean; team?: readonly Colleague[] } = {},
): Html {
  const { requests: words } = visit.words.access;
  const rows = requests.map((one): Content[] => [
    renderTime(visit, one.at, ''),
    html`<span class="codes">${renderCode(`${one.method} ${one.path}`)}</span><small><a href="/partner/requests?requestId=${one.requestId}">${one.requestId}</a></small>`,
    renderAnswer(one),
    html`${one.durationMs} ms`,
    ...(isOfOneKey ? [] : [renderAsker(visit, one, team)]),
    renderText(one.callerAddress),
  ]);
  const columns = [
    words.at,
    words.request,
    words.answer,
    words.duration,
    ...(isOfOneKey ? [] : [words.asker]),
    words.address,
  ];
  return renderRows(visit, words.title, columns, rows);
}

/** Status, and the code of an error. */
export const renderAnswer = ({ status, errorCode }: LoggedRequest): Html =>
  html`<span class="status ${status < 400 ? 'good' : status < 500 ? 'fair' : 'bad'}">${status}</span>${errorCode !== null && html` ${renderCode(errorCode)}`}`;

export function renderAsker(
  { words }: Visit,
  { keyId, personId }: LoggedRequest,
  team: readonly Colleague[],
): Html {
  if (keyId !== null) return html`<a href="/partner/keys/${keyId}">${keyId}</a>`;
  const name = team.find(({ id }) => id === personId)?.name ?? personId;
  return html`${renderText(name)} <small>${words.access.requests.person}</small>`;
}
