import type { CursorPage } from '#platform/commands/cursor-page';
import type { ManagerCtx } from './endpoint.ts';
import { type ListEndpoints, listEndpoints } from './list-endpoints.ts';
import { countWaiting } from './queries/deliveries.ts';
import type { EndpointView } from './wire.ts';

/** Endpoints, each with how many deliveries wait for it. */
export async function listWithWaiting(
  ctx: ManagerCtx,
  input: ListEndpoints,
): Promise<CursorPage<EndpointView & { waiting: number }>> {
  const { items, nextCursor } = await listEndpoints(ctx, input);
  const ids = items.map(({ id }) => id);
  const counts = new Map((await countWaiting(ctx.db, ids)).map((one) => [one.endpointId, one.count]));
  return { items: items.map((item) => ({ ...item, waiting: counts.get(item.id) ?? 0 })), nextCursor };
}
