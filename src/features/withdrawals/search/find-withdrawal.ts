import type { Ctx } from '#context';
import { findPaidByHash } from '#features/payouts';
import { transactionHashForm, uuidForm } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import { withdrawalErrors } from '../errors.ts';
import type { TracedRow } from '../queries/withdrawals.ts';
import { searchWithdrawals, selectByAnyIdempotencyKey } from './queries.ts';

const candidatesMax = 10;

/**
 * The withdrawal with this id, bulk id, transaction hash, external id or idempotency key. Partners choose the
 * last two: one that equals an id of ours does not hide it, and one that several share is refused.
 */
export async function findWithdrawal(ctx: Ctx, text: string): Promise<TracedRow> {
  const found = await findByOurIds(ctx, text.toLowerCase());
  if (found) return found;
  const limit = candidatesMax + 1;
  const ofBulk = await findByBulkId(ctx, text.toLowerCase(), limit);
  if (ofBulk.length > 1) throw ambiguous(ofBulk, 'bulk id');
  if (ofBulk[0]) return ofBulk[0];
  const labelled = await searchWithdrawals(ctx.db, { externalId: text, limit });
  const rows = labelled.length > 0 ? labelled : await selectByAnyIdempotencyKey(ctx.db, text, limit);
  const [first] = rows;
  if (!first) throw withdrawalErrors.withdrawalNotFound();
  if (rows.length > 1) throw ambiguous(rows, labelled.length > 0 ? 'external id' : 'idempotency key');
  return first;
}

async function findByOurIds(ctx: Ctx, text: string): Promise<TracedRow | undefined> {
  if (transactionHashForm.test(text)) {
    const id = await findPaidByHash(ctx.db, text);
    return id === undefined ? undefined : findOne(ctx, { id });
  }
  if (!uuidForm.test(text)) return undefined;
  return findOne(ctx, { id: text });
}

async function findOne(ctx: Ctx, { id }: { id: string }): Promise<TracedRow | undefined> {
  const [row] = await searchWithdrawals(ctx.db, { id, limit: 1 });
  return row;
}

const findByBulkId = async (ctx: Ctx, bulkId: string, limit: number): Promise<TracedRow[]> =>
  uuidForm.test(bulkId) ? searchWithdrawals(ctx.db, { bulkId, limit }) : [];

function ambiguous(rows: readonly TracedRow[], name: string) {
  const count = rows.length > candidatesMax ? `More than ${candidatesMax}` : rows.length;
  return withdrawalErrors.ambiguousId({
    message: `${count} withdrawals have this ${name}: pass the id of one of them`,
    details: rows.slice(0, candidatesMax).map((row) => ({ field: 'withdrawalId', message: describe(row) })),
  });
}

const describe = ({ id, amount, decimals, currency, network, status, createdAt }: TracedRow) =>
  `${id}: ${formatMinor(amount, decimals)} ${currency} on ${network}, ${status}, created at ${createdAt.toISOString()}`;
