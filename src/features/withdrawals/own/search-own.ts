import type { Ctx, PartnerAdmin } from '#context';
import { findPaidByHash } from '#features/payouts';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { transactionHashForm, uuidForm } from '#platform/http/schemas';
import { readPeriod } from '#platform/values/instant';
import type { TracedRow } from '../queries/withdrawals.ts';
import { type Search, searchWithdrawals } from '../search/queries.ts';
import type { Status } from '../states.ts';

export interface OwnSearch {
  userId?: string;
  status?: Status;
  bulkId?: string;
  /** An id, bulk id, address, transaction hash or external id. */
  text?: string;
  startDate?: string;
  endDate?: string;
}

type Criteria = Omit<Search, 'limit'>;

/**
 * What the partner asked for, newest first; all filters must match. Also for users who are no longer on its
 * list: a partner accounts for what it paid.
 */
export async function searchOwn(
  ctx: Ctx<PartnerAdmin>,
  { limit = 50, cursor, ...filters }: OwnSearch & CursorInput,
): Promise<CursorPage<TracedRow>> {
  const name = nameList('own withdrawals', filters);
  const before = decodeCursor(name, cursor, uuidForm);
  const criteria = await criteriaOf(ctx, filters);
  if (!criteria) return { items: [], nextCursor: null };
  const rows = await searchWithdrawals(ctx.db, { ...criteria, before, limit: limit + 1 });
  return toCursorPage(name, rows, limit, ({ id }) => id);
}

/** Undefined if nothing can match. */
export async function criteriaOf(
  ctx: Ctx<PartnerAdmin>,
  { text, startDate, endDate, userId, bulkId, status }: OwnSearch,
): Promise<Criteria | undefined> {
  const { partnerId } = ctx.actor;
  const period = readPeriod(['startDate', startDate], ['endDate', endDate]);
  const named = text === undefined ? {} : await findNamed(ctx, text.trim());
  const wanted = bulkId?.toLowerCase();
  if (!named || (wanted && named.bulkId && named.bulkId !== wanted)) return undefined;
  return { status, userId: userId?.toLowerCase(), bulkId: wanted, partnerId, ...period, ...named };
}

/** A text that is no id of a withdrawal or bulk of the partner may be an external id. */
async function findNamed(
  { db, actor }: Ctx<PartnerAdmin>,
  text: string,
): Promise<Pick<Criteria, 'id' | 'bulkId' | 'toAddress' | 'externalId'> | undefined> {
  const lower = text.toLowerCase();
  if (transactionHashForm.test(lower)) {
    const id = await findPaidByHash(db, lower);
    return id === undefined ? undefined : { id };
  }
  if (/^0x[0-9a-f]{40}$/.test(lower)) return { toAddress: lower };
  if (uuidForm.test(lower)) {
    for (const named of [{ id: lower }, { bulkId: lower }]) {
      const found = await searchWithdrawals(db, { ...named, partnerId: actor.partnerId, limit: 1 });
      if (found.length > 0) return named;
    }
  }
  return { externalId: text };
}
