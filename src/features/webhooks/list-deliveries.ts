import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { type DeliveryStatus, type ManagerCtx, readerOf } from './endpoint.ts';
import { findEndpoint } from './find-endpoint.ts';
import { selectDeliveries } from './queries/deliveries.ts';
import { type DeliveryView, presentDelivery } from './wire.ts';

/** Deliveries of the last 30 days to an endpoint, newest first. */
export async function listDeliveries(
  ctx: ManagerCtx,
  { endpointId, status, limit = 50, cursor }: CursorInput & { endpointId: string; status?: DeliveryStatus },
): Promise<CursorPage<DeliveryView>> {
  const endpoint = await findEndpoint(ctx, endpointId);
  const list = nameList('webhooks.deliveries', { endpointId: endpoint.id, status });
  const before = decodeCursor(list, cursor, /^\d{1,18}$/);
  const rows = await selectDeliveries(ctx.db, {
    endpointId: endpoint.id,
    userId: readerOf(ctx.actor),
    status,
    before: before === undefined ? undefined : BigInt(before),
    limit: limit + 1,
  });
  return toCursorPage(list, rows.map(presentDelivery), limit, ({ id }) => id);
}
