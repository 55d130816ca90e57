import type { Ctx, PartnerAdmin } from '#context';
import { findPaidByHash } from '#features/payouts';
import { transactionHashForm } from '#platform/http/schemas';
import {
  type ListPage,
  selectAllPage,
  selectBulkPage,
  selectExternalIdPage,
  selectOfList,
  selectStatusPage,
} from './queries/pages.ts';
import type { WithdrawalRow } from './queries/withdrawals.ts';
import type { Status } from './states.ts';

export interface WithdrawalFilter {
  limit: number;
  offset: number;
  bulkId?: string;
  /** Any hash that the withdrawal was ever sent under. */
  transactionHash?: string;
  status?: Status;
  externalId?: string;
}

/**
 * What this partner requested for this user, newest first. Each filter has a separate query, so that a deep
 * page costs no more than the first.
 */
export async function listWithdrawals(
  ctx: Ctx<PartnerAdmin>,
  userId: string,
  filter: WithdrawalFilter,
): Promise<WithdrawalRow[]> {
  const { bulkId, transactionHash, status, externalId, limit, offset } = filter;
  const page: ListPage = { partnerId: ctx.actor.partnerId, userId, limit, offset };
  if (transactionHash !== undefined) {
    const row = await selectByHash(ctx, page, transactionHash);
    const fits =
      row &&
      (bulkId === undefined || row.bulkId === bulkId) &&
      (status === undefined || row.status === status) &&
      (externalId === undefined || row.externalId === externalId);
    return fits && offset === 0 ? [row] : [];
  }
  if (bulkId !== undefined) return selectBulkPage(ctx.db, page, { bulkId, status, externalId });
  if (externalId !== undefined) return selectExternalIdPage(ctx.db, page, externalId, status);
  return status === undefined ? selectAllPage(ctx.db, page) : selectStatusPage(ctx.db, page, status);
}

async function selectByHash(
  ctx: Ctx<PartnerAdmin>,
  page: ListPage,
  transactionHash: string,
): Promise<WithdrawalRow | undefined> {
  if (!transactionHashForm.test(transactionHash)) return undefined;
  const withdrawalId = await findPaidByHash(ctx.db, transactionHash);
  return withdrawalId === undefined ? undefined : selectOfList(ctx.db, page, withdrawalId);
}
