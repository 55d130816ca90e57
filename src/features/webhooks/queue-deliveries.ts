import type { Ctx } from '#context';
import type { NumberedEvent } from '#features/events';
import { insertDeliveries } from './queries/deliveries.ts';

/** In the transaction that numbers events, so that none is without its deliveries. */
export const queueDeliveries = (ctx: Ctx, events: readonly NumberedEvent[]): Promise<void> =>
  insertDeliveries(ctx.db, events, ctx.now);
