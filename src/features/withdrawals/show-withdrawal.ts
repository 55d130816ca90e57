import type { Ctx } from '#context';
import { type PayoutLife, showPayout } from '#features/payouts';
import { selectMoves, type TracedRow } from './queries.ts';
import { findWithdrawal } from './search/find-withdrawal.ts';
import type { Status } from './states.ts';

export interface WithdrawalLife {
  withdrawal: TracedRow;
  moves: { status: Status; at: Date }[];
  payout: PayoutLife | undefined;
}

/** The history, by any id: each state with its time, the nonce, and each signed transaction. */
export async function showWithdrawal(
  ctx: Ctx,
  { withdrawalId }: { withdrawalId: string },
): Promise<WithdrawalLife> {
  const withdrawal = await findWithdrawal(ctx, withdrawalId);
  const { id } = withdrawal;
  const [moves, payout] = await Promise.all([selectMoves(ctx.db, id), showPayout(ctx.db, id)]);
  const first = { status: 'queued' as const, at: withdrawal.createdAt };
  return { withdrawal, moves: [first, ...moves], payout };
}
