import type { CursorPage } from '#platform/commands/cursor-page';
import type { ManagerCtx } from './endpoint.ts';
import { listDeliveries } from './list-deliveries.ts';
import { selectLastAttempts } from './queries/deliveries.ts';
import { type AnsweredDelivery, presentLast } from './wire.ts';

/** Deliveries to an endpoint, each with what was answered last. */
export async function listWithAnswers(
  ctx: ManagerCtx,
  input: Parameters<typeof listDeliveries>[1],
): Promise<CursorPage<AnsweredDelivery>> {
  const { items, nextCursor } = await listDeliveries(ctx, input);
  const ids = items.map(({ id }) => id);
  const last = new Map((await selectLastAttempts(ctx.db, ids)).map((one) => [String(one.id), one]));
  return { items: items.map((item) => ({ ...item, ...presentLast(last.get(item.id)!) })), nextCursor };
}
