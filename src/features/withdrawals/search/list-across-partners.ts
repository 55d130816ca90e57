import type { Ctx } from '#context';
import { findPaidByHash } from '#features/payouts';
import { normalizeEmail, selectIdsByEmail, userErrors } from '#features/users';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { invalidField } from '#platform/errors/errors';
import { uuidForm } from '#platform/http/schemas';
import { readPeriod } from '#platform/values/instant';
import { parseMinor } from '#platform/values/money';
import { withdrawalErrors } from '../errors.ts';
import type { TracedRow } from '../queries/withdrawals.ts';
import type { Status } from '../states.ts';
import { type Search, searchWithdrawals } from './queries.ts';

export interface AcrossPartners extends CursorInput {
  status?: Status;
  network?: string;
  waitingFor?: string;
  olderThanSeconds?: number;
  /** Id or email. */
  user?: string;
  partnerId?: string;
  keyId?: string;
  externalId?: string;
  bulkId?: string;
  /** Any hash that it was ever sent under. */
  transactionHash?: string;
  toAddress?: string;
  amountMin?: string;
  amountMax?: string;
  startDate?: string;
  endDate?: string;
}

/** Withdrawals of all partners, newest first; all filters must match. */
export async function listAcrossPartners(
  ctx: Ctx,
  { limit = 50, cursor, olderThanSeconds, ...filters }: AcrossPartners,
): Promise<CursorPage<TracedRow>> {
  // Not the name that the list oldest first had in earlier releases: its cursors are refused.
  const name = nameList('withdrawals.list', filters);
  const before = decodeCursor(name, cursor, uuidForm);
  const search = await resolve(ctx, filters);
  if (!search) return { items: [], nextCursor: null };
  const createdBefore =
    olderThanSeconds === undefined ? undefined : new Date(ctx.now.getTime() - olderThanSeconds * 1000);
  const rows = await searchWithdrawals(ctx.db, { ...search, createdBefore, before, limit: limit + 1 });
  return toCursorPage(name, rows, limit, ({ id }) => id);
}

type Filters = Omit<AcrossPartners, 'limit' | 'cursor' | 'olderThanSeconds'>;

/** Undefined if no withdrawal was ever sent under the hash. */
async function resolve(ctx: Ctx, filters: Filters): Promise<Omit<Search, 'limit'> | undefined> {
  const { user, transactionHash, startDate, endDate, ...plain } = filters;
  const { amountMin, amountMax, toAddress } = plain;
  requireOrder(amountMin, amountMax);
  const period = readPeriod(['startDate', startDate], ['endDate', endDate]);
  const hash = transactionHash?.toLowerCase();
  const id = hash === undefined ? undefined : await findPaidByHash(ctx.db, hash);
  if (hash !== undefined && id === undefined) return undefined;
  const userId = user === undefined ? undefined : await findUserId(ctx, user);
  return { ...plain, ...period, id, userId, toAddress: toAddress?.toLowerCase() };
}

const decimalsMax = 36;

function requireOrder(amountMin: string | undefined, amountMax: string | undefined): void {
  if (amountMin === undefined || amountMax === undefined) return;
  if (parseMinor(amountMin, decimalsMax)! > parseMinor(amountMax, decimalsMax)!) {
    throw invalidField('amountMin', 'must not be above amountMax');
  }
}

async function findUserId(ctx: Ctx, user: string): Promise<string> {
  if (uuidForm.test(user.toLowerCase())) return user.toLowerCase();
  const email = normalizeEmail(user);
  if (email === undefined) throw userErrors.invalidEmail();
  const [userId, ...others] = await selectIdsByEmail(ctx.db, email);
  if (others.length > 0) throw userErrors.emailShared();
  if (userId === undefined) throw withdrawalErrors.userNotFound();
  return userId;
}
