import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import { readUsers } from '../read-users.ts';
import { rowsMax } from '../tables.ts';
import { keyChanges } from './key-changes.ts';
import { type Key, renderKey, renderKeys } from './key-pages.ts';

const recentMax = 10;

/** `/partner/keys`: the keys, and for each a page with what it asked. */
export function keyRoutes(mount: Mount): void {
  const { page } = mount;
  keyChanges(mount);

  page('/keys', async ({ visit, call, request }) => {
    const { userId, cursor } = request.query as { userId?: string; cursor?: string };
    const query = new URLSearchParams({
      limit: String(rowsMax),
      ...(userId && { userId }),
      ...(cursor && { cursor }),
    });
    const { body } = await call({ method: 'GET', url: `/api/keys?${query.toString()}` });
    return renderPage(visit, renderKeys(visit, body, await readUsers(call)));
  });

  page('/keys/:keyId', async ({ visit, call, request }) => {
    const { keyId } = request.params as { keyId: string };
    const { body: key } = await call({ method: 'GET', url: `/api/keys/${encodeURIComponent(keyId)}` });
    const [users, requests] = await Promise.all([
      readUsers(call),
      call({ method: 'GET', url: `/api/requests?limit=${recentMax}&keyId=${String(key.id)}` }),
    ]);
    return renderPage(visit, renderKey(visit, key as unknown as Key, { users, requests: requests.body }));
  });
}
