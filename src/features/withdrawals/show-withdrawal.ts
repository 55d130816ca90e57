import type { Ctx } from '#context';
import { type FormerPayout, type PayoutLife, showFormerPayouts, showPayout } from '#features/payouts';
import { selectMoves, selectMovesOfEach, type TracedRow } from './queries/withdrawals.ts';
import { findWithdrawal } from './search/find-withdrawal.ts';
import type { Status } from './states.ts';

export interface WithdrawalLife {
  withdrawal: TracedRow;
  moves: { status: Status; at: Date }[];
  payout: PayoutLife | undefined;
  /** Nonces that were given up. */
  formerPayouts: FormerPayout[];
}

/** The history, by any id: each state with its time, the nonce, and each signed transaction. */
export async function showWithdrawal(
  ctx: Ctx,
  { withdrawalId }: { withdrawalId: string },
): Promise<WithdrawalLife> {
  const withdrawal = await findWithdrawal(ctx, withdrawalId);
  const { id } = withdrawal;
  const [moves, payout, formerPayouts] = await Promise.all([
    selectMoves(ctx.db, id),
    showPayout(ctx.db, id),
    showFormerPayouts(ctx.db, id),
  ]);
  return { withdrawal, moves: [firstState(withdrawal), ...moves], payout, formerPayouts };
}

const firstState = ({ createdAt }: { createdAt: Date }) => ({ status: 'queued' as const, at: createdAt });

/** The states of several withdrawals; unknown ids are omitted. */
export async function showStates(
  { db }: Ctx,
  withdrawalIds: readonly string[],
): Promise<{ withdrawalId: string; states: { status: Status; at: Date }[] }[]> {
  const rows = await selectMovesOfEach(db, withdrawalIds);
  return rows.map((row) => ({ withdrawalId: row.withdrawalId, states: [firstState(row), ...row.moves] }));
}
