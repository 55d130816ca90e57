import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { releaseHeld } from '#features/ledger';
import { isFoundPaid, isInDoubt } from '#features/payouts';
import { withStandbys } from '#platform/db/confirm';
import { withdrawalErrors } from './errors.ts';
import { lockWithdrawal, selectWithdrawal, type TracedRow, updateFailed } from './queries/withdrawals.ts';
import { isFinal } from './states.ts';

interface Cancellation {
  withdrawalId: string;
  reason: string;
}

/**
 * Fails a withdrawal that is not signed yet and releases its hold. Once it is signed, only the chain decides.
 * If a promotion lost the cancellation, the withdrawal would be paid.
 */
export const cancelWithdrawal = (ctx: Ctx, input: Cancellation): Promise<TracedRow> =>
  withStandbys(ctx, () => cancel(ctx, input));

function cancel(ctx: Ctx, { withdrawalId, reason }: Cancellation): Promise<TracedRow> {
  return inTransaction(ctx, async (ctx) => {
    const row = await lockWithdrawal(ctx.db, withdrawalId);
    if (!row) throw withdrawalErrors.withdrawalNotFound();
    if (isFinal(row.status)) throw withdrawalErrors.alreadyFinal();
    if (row.status === 'processing' || (await isFoundPaid(ctx.db, withdrawalId)))
      throw withdrawalErrors.alreadySigned();
    if (await isInDoubt(ctx, row.network)) throw withdrawalErrors.walletHalted();
    if (row.status === 'pending') await releaseHeld(ctx.db, [row]);
    await updateFailed(ctx.db, { withdrawalId, errorMessage: `Canceled: ${reason}`, now: ctx.now });
    await recordChange(ctx, {
      action: 'withdrawals.cancel',
      subject: `withdrawal:${row.id}`,
      before: { status: row.status },
      after: { status: 'failed', reason },
    });
    return (await selectWithdrawal(ctx.db, withdrawalId))!;
  });
}
