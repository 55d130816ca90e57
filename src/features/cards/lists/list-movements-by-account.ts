import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import {
  type AccountMovements,
  type PaymentMovementView,
  selectMovementsByAccount,
} from './queries/movements.ts';
import type { CardWindow } from './queries/page.ts';

/** The same page of each of a user's accounts, oldest account first; one without movements has none. */
export async function listMovementsByAccount(
  ctx: Ctx,
  { currentPage, pageSize, ...filter }: { userId: string } & CardWindow & NumberedPage,
): Promise<{ accounts: AccountMovements[] }> {
  const page = { offset: currentPage * pageSize, limit: pageSize };
  const accounts = await selectMovementsByAccount(ctx.db, filter, page);
  return { accounts: accounts.map((one) => ({ ...one, movements: one.movements.map(withStatusOfPayment) })) };
}

/**
 * A movement has the status of its payment. The issuer posts one when collateral moves, so to the issuer even
 * a hold is completed. What a reversed payment took and gave back is reversed.
 */
function withStatusOfPayment(movement: PaymentMovementView): PaymentMovementView {
  const { transactionStatus } = movement;
  if (transactionStatus !== 'pending' && transactionStatus !== 'reversed') return movement;
  return { ...movement, status: transactionStatus };
}
