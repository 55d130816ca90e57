import type { Item } from '#platform/commands/values';
import { commonErrors } from '#platform/errors/errors';
import type { Mount } from '../mount.ts';
import { renderLife } from './life-page.ts';
import { readHistories, readLife, readPlaces, start } from './read-life.ts';

/** `/console/users/<id>/life`. */
export function lifeRoutes({ page }: Mount): void {
  page('/users/:id/life', async ({ visit, call, request }) => {
    const { id: userId } = request.params as { id: string };
    const { after } = request.query as { after?: unknown };
    const places = typeof after === 'string' ? readPlaces(after) : start;
    if (!places) throw commonErrors.notFound();
    const { data } = await call('users.list', { userId });
    const [user] = data.items as Item[];
    if (!user) throw commonErrors.notFound();
    const life = await readLife(call, String(user.id), places);
    const histories = await readHistories(call, life.rows);
    return renderLife(visit, { user, histories, ...life });
  });
}
