import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { selectAcrossPartners, type WithdrawalRow } from './queries.ts';
import type { Status } from './states.ts';

export interface AcrossPartners extends CursorInput {
  status?: Status;
  network?: string;
  olderThanSeconds?: number;
}

/** Withdrawals of all partners, oldest first. */
export async function listAcrossPartners(
  ctx: Ctx,
  { status, network, olderThanSeconds, limit = 50, cursor }: AcrossPartners,
): Promise<CursorPage<WithdrawalRow>> {
  const createdBefore =
    olderThanSeconds === undefined ? undefined : new Date(ctx.now.getTime() - olderThanSeconds * 1000);
  const name = `withdrawals ${status ?? ''} ${network ?? ''}`;
  const after = decodeCursor(name, cursor, uuidForm);
  const rows = await selectAcrossPartners(ctx.db, {
    status,
    network,
    createdBefore,
    after,
    limit: limit + 1,
  });
  return toCursorPage(name, rows, limit, ({ id }) => id);
}
