import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { depositErrors } from './errors.ts';
import { lockCursor, updateResumed } from './queries.ts';

/**
 * Resumes a halted network where it was, on the current chain, after an operator has compared it with what
 * was posted.
 */
export function resumeDeposits(
  ctx: Ctx,
  { network }: { network: string },
): Promise<{ network: string; nextBlock: number }> {
  return inTransaction(ctx, async (ctx) => {
    const cursor = await lockCursor(ctx.db, network);
    if (!cursor) throw depositErrors.networkNotWatched();
    if (cursor.haltedAt === null) throw depositErrors.depositsNotHalted();
    const { nextBlock, haltedReason } = cursor;
    await updateResumed(ctx.db, network, ctx.now);
    await recordChange(ctx, {
      action: 'deposits.resume',
      subject: `deposits:${network}`,
      before: { nextBlock, haltedReason },
      after: { nextBlock },
    });
    return { network, nextBlock };
  });
}
