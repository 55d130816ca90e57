import { type CursorInput, type CursorPage, nameList, readCursorPage } from '#platform/commands/cursor-page';
import { type DeliveryStatus, type ManagerCtx, readerOf } from './endpoint.ts';
import { findEndpoint } from './find-endpoint.ts';
import { selectDeliveries } from './queries/deliveries.ts';
import { type DeliveryView, presentDelivery } from './wire.ts';

/** Deliveries of the last 30 days to an endpoint, newest first. */
export async function listDeliveries(
  ctx: ManagerCtx,
  { endpointId, status, ...input }: CursorInput & { endpointId: string; status?: DeliveryStatus },
): Promise<CursorPage<DeliveryView>> {
  const endpoint = await findEndpoint(ctx, endpointId);
  const name = nameList('webhooks.deliveries', { endpointId: endpoint.id, status });
  return readCursorPage(
    { name, keyForm: /^\d{1,18}$/, keyOf: ({ id }) => id },
    input,
    async ({ after, limit }) => {
      const before = after === undefined ? undefined : BigInt(after);
      const search = { endpointId: endpoint.id, userId: readerOf(ctx.actor), status, before, limit };
      return (await selectDeliveries(ctx.db, search)).map(presentDelivery);
    },
  );
}
