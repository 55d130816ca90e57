import type { Ctx } from '#context';
import { selectDeliveriesAbout } from './queries/deliveries.ts';
import { presentDelivery, presentLast, type TracedDeliveryView } from './wire.ts';

const tracedMax = 200;

/** To which endpoints the events of a withdrawal were sent, and what each answered last; oldest first. */
export async function traceDeliveries(
  { db }: Ctx,
  { withdrawalId }: { withdrawalId: string },
): Promise<TracedDeliveryView[]> {
  const rows = await selectDeliveriesAbout(db, `withdrawal:${withdrawalId}`, tracedMax);
  return rows.map((row) => ({ ...presentDelivery(row), ...presentLast(row), url: row.url }));
}
