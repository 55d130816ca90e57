import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { treasuryErrors } from './errors.ts';
import { deletePosition, lockPosition } from './queries.ts';

/** Deletes the state of the comparison: the next one is a first one, and names what it finds the opening. */
export function reopen(
  ctx: Ctx,
  { network, reason }: { network: string; reason: string },
): Promise<{ network: string; reason: string }> {
  return inTransaction(ctx, async (ctx) => {
    const position = await lockPosition(ctx.db, network);
    if (!position) throw treasuryErrors.notCompared();
    await deletePosition(ctx.db, network);
    const { blockNumber, blockHash } = position;
    await recordChange(ctx, {
      action: 'treasury.reopen',
      subject: `treasury:${network}`,
      before: { blockNumber, blockHash },
      after: { reason },
    });
    return { network, reason };
  });
}
