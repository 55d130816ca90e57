import { type Content, html } from '#platform/http/html';
import type { CallApi } from '#surfaces/frame';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import { renderCode, renderNext, renderRows, renderText, renderTime, rowsMax } from '../tables.ts';
import type { Visit } from '../visit.ts';

interface User {
  userId: string;
  email: string;
  allowedAt: string;
}

interface Key {
  id: string;
  name: string;
  userId: string;
  status: string;
}

/** `/partner/users`: the users that the partner may act for. */
export function userRoutes({ page }: Mount): void {
  page('/users', async ({ visit, call, request }) => {
    const { users: words } = visit.words.access;
    const { cursor } = request.query as { cursor?: string };
    const query = new URLSearchParams({ limit: String(rowsMax), ...(cursor && { cursor }) });
    const { body } = await call({ method: 'GET', url: `/api/users?${query.toString()}` });
    const users = body.items as User[];
    const keys = visit.role === 'finance' ? undefined : await readKeys(call, users);
    const columns = [words.email, words.id, words.since, ...(keys ? [words.keys] : []), words.withdrawals];
    const rows = users.map((user): Content[] => [
      renderText(user.email, 254),
      renderCode(user.userId),
      renderTime(visit, user.allowedAt, ''),
      ...(keys ? [renderKeys(visit, user, keys.get(user.userId) ?? [])] : []),
      html`<a href="/partner/withdrawals?userId=${user.userId}" aria-label="${words.withdrawals} ${renderText(user.email, 254)}">${words.withdrawals}</a>`,
    ]);
    return renderPage(visit, {
      title: words.title,
      body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
<div class="card">${renderRows(visit, words.title, columns, rows)}${renderNext(visit, body.nextCursor)}</div>`,
    });
  });
}

/** Keys that work, of the users of the page; a partner has at most 100. */
async function readKeys(call: CallApi, users: readonly User[]): Promise<Map<string, Key[]>> {
  const wanted = new Set(users.map(({ userId }) => userId));
  const { body } = await call({ method: 'GET', url: '/api/keys?limit=200' });
  const keys = (body.items as Key[]).filter(
    ({ userId, status }) => wanted.has(userId) && status !== 'revoked' && status !== 'expired',
  );
  return Map.groupBy(keys, ({ userId }) => userId);
}

function renderKeys(visit: Visit, { userId }: User, keys: readonly Key[]): Content {
  const { users: words } = visit.words.access;
  if (keys.length === 0)
    return html`<a href="/partner/keys/new?userId=${userId}">${visit.words.access.keys.issue}</a>`;
  const shown = keys
    .slice(0, 3)
    .map(({ id, name }) => html`<a href="/partner/keys/${id}">${renderText(name, 40)}</a><br>`);
  return [
    shown,
    keys.length > 3 && html`<a href="/partner/keys?userId=${userId}">${words.keys}: ${keys.length}</a>`,
  ];
}
