import type { Ctx } from '#context';
import { type PayoutLife, showPayout } from '#features/payouts';
import { withdrawalErrors } from './errors.ts';
import { selectMoves, selectWithdrawal, type WithdrawalRow } from './queries.ts';
import type { Status } from './states.ts';

export interface WithdrawalLife {
  withdrawal: WithdrawalRow;
  moves: { status: Status; at: Date }[];
  payout: PayoutLife | undefined;
}

/** The history: each state with its time, the nonce, and each signed transaction. */
export async function showWithdrawal(
  ctx: Ctx,
  { withdrawalId }: { withdrawalId: string },
): Promise<WithdrawalLife> {
  const withdrawal = await selectWithdrawal(ctx.db, withdrawalId);
  if (!withdrawal) throw withdrawalErrors.withdrawalNotFound();
  const [moves, payout] = await Promise.all([
    selectMoves(ctx.db, withdrawalId),
    showPayout(ctx.db, withdrawalId),
  ]);
  const first = { status: 'queued' as const, at: withdrawal.createdAt };
  return { withdrawal, moves: [first, ...moves], payout };
}
