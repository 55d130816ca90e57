import { type ManagerCtx, readerOf } from './endpoint.ts';
import { webhookErrors } from './errors.ts';
import { findEndpoint, requireReceiver } from './find-endpoint.ts';
import { selectAttempts, selectDelivery } from './queries/deliveries.ts';
import { type DeliveryDetails, presentAttempt, presentDelivery } from './wire.ts';

/** What was sent, and what was answered to each attempt. */
export async function showDelivery(
  ctx: ManagerCtx,
  { endpointId, deliveryId }: { endpointId: string; deliveryId: string },
): Promise<DeliveryDetails> {
  const endpoint = await findEndpoint(ctx, endpointId);
  requireReceiver(ctx.actor);
  const row = /^\d{1,18}$/.test(deliveryId)
    ? await selectDelivery(ctx.db, {
        endpointId: endpoint.id,
        userId: readerOf(ctx.actor),
        deliveryId: BigInt(deliveryId),
      })
    : undefined;
  if (!row) throw webhookErrors.deliveryNotFound();
  const attempts = await selectAttempts(ctx.db, row.id);
  return { ...presentDelivery(row), body: row.body, attemptList: attempts.map(presentAttempt) };
}
