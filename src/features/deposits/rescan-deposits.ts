import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { depositErrors } from './errors.ts';
import { lockCursor, updateSetBack } from './queries.ts';

/**
 * Moves the cursor of a network back, so that blocks are read again. Posted deposits are not posted twice,
 * and missed ones are found, such as transfers to a wallet before it was verified. Never forward, which would
 * skip blocks.
 */
export function rescanDeposits(
  ctx: Ctx,
  { network, fromBlock }: { network: string; fromBlock: number },
): Promise<{ network: string; nextBlock: number }> {
  return inTransaction(ctx, async (ctx) => {
    const cursor = await lockCursor(ctx.db, network);
    if (!cursor) throw depositErrors.networkNotWatched();
    if (fromBlock > cursor.nextBlock) throw depositErrors.blockNotRead();
    if (fromBlock < cursor.nextBlock) {
      await updateSetBack(ctx.db, { network, nextBlock: fromBlock, now: ctx.now });
      await recordChange(ctx, {
        action: 'deposits.rescan',
        subject: `deposits:${network}`,
        before: { nextBlock: cursor.nextBlock },
        after: { nextBlock: fromBlock },
      });
    }
    return { network, nextBlock: fromBlock };
  });
}
