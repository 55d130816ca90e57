import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { selectMovementPage } from './queries.ts';
import type { CardWindow } from './window.ts';

/** A change of the collateral behind cards. Amounts are US cents. */
export interface MovementView {
  id: string;
  cardIssuerUserId: string;
  action: 'deposit' | 'purchase' | 'refund' | 'adjustment';
  type: 'credit' | 'debit';
  status: string;
  /** Above zero, whichever way it went. */
  amountMinor: bigint;
  previousBalanceMinor: bigint;
  runningBalanceMinor: bigint;
  description: string;
  createdAt: Date;
}

/** A page of the movements of all of a user's accounts, newest first, and how many there are. Any page costs the same. */
export async function listMovements(
  ctx: Ctx,
  { currentPage, pageSize, ...filter }: { userId: string } & CardWindow & NumberedPage,
): Promise<{ total: number; movements: MovementView[] }> {
  return selectMovementPage(ctx.db, filter, { offset: currentPage * pageSize, limit: pageSize });
}
