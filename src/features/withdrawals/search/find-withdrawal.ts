import type { Ctx } from '#context';
import { findPaidByHash } from '#features/payouts';
import { uuidForm } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import { withdrawalErrors } from '../errors.ts';
import type { TracedRow } from '../queries.ts';
import { searchWithdrawals } from './queries.ts';

const candidatesMax = 10;

/**
 * The withdrawal with this id, bulk id, transaction hash or external id. External ids are labels that
 * partners choose: one that equals an id of ours does not hide it, and one that several share is refused.
 */
export async function findWithdrawal(ctx: Ctx, text: string): Promise<TracedRow> {
  const found = await findByOurIds(ctx, text.toLowerCase());
  if (found) return found;
  const rows = await searchWithdrawals(ctx.db, { externalId: text, limit: candidatesMax + 1 });
  const [first] = rows;
  if (!first) throw withdrawalErrors.withdrawalNotFound();
  if (rows.length > 1) throw ambiguous(rows);
  return first;
}

async function findByOurIds(ctx: Ctx, text: string): Promise<TracedRow | undefined> {
  if (/^0x[0-9a-f]{64}$/.test(text)) {
    const id = await findPaidByHash(ctx.db, text);
    return id === undefined ? undefined : findOne(ctx, { id });
  }
  if (!uuidForm.test(text)) return undefined;
  return (await findOne(ctx, { id: text })) ?? findOne(ctx, { bulkId: text });
}

async function findOne(ctx: Ctx, by: { id: string } | { bulkId: string }): Promise<TracedRow | undefined> {
  const [row] = await searchWithdrawals(ctx.db, { ...by, limit: 1 });
  return row;
}

function ambiguous(rows: readonly TracedRow[]) {
  const count = rows.length > candidatesMax ? `More than ${candidatesMax}` : rows.length;
  return withdrawalErrors.ambiguousId({
    message: `${count} withdrawals have this external id: pass the id of one of them`,
    details: rows.slice(0, candidatesMax).map((row) => ({ field: 'withdrawalId', message: describe(row) })),
  });
}

const describe = ({ id, amount, decimals, currency, network, status, createdAt }: TracedRow) =>
  `${id}: ${formatMinor(amount, decimals)} ${currency} on ${network}, ${status}, created at ${createdAt.toISOString()}`;
