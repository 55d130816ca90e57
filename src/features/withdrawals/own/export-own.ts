import { checksumAddress } from '#adapters/evm';
import type { Ctx, PartnerAdmin } from '#context';
import type { Download } from '#platform/http/download';
import { writeCell } from '#platform/values/csv-cell';
import { formatMinor } from '#platform/values/money';
import type { TracedRow } from '../queries/withdrawals.ts';
import { searchWithdrawals } from '../search/queries.ts';
import { criteriaOf, type OwnSearch } from './search-own.ts';

const pageSize = 500;

const columns: readonly (readonly [string, (row: TracedRow) => string | null])[] = [
  ['id', ({ id }) => id],
  ['bulkId', ({ bulkId }) => bulkId],
  ['createdAt', ({ createdAt }) => createdAt.toISOString()],
  ['updatedAt', ({ updatedAt }) => updatedAt.toISOString()],
  ['status', ({ status }) => status],
  ['userId', ({ userId }) => userId],
  ['network', ({ network }) => network],
  ['currency', ({ currency }) => currency],
  ['amount', ({ amount, decimals }) => formatMinor(amount, decimals)],
  ['to', ({ toAddress }) => checksumAddress(toAddress)],
  ['externalId', ({ externalId }) => externalId],
  ['transactionHash', ({ transactionHash }) => transactionHash],
  ['errorMessage', ({ errorMessage }) => errorMessage],
  ['requestedBy', ({ keyId }) => keyId],
];

/** The same set as `searchOwn`, as a CSV that spreadsheets open without running anything. */
export async function exportOwn(ctx: Ctx<PartnerAdmin>, search: OwnSearch): Promise<Download> {
  const criteria = await criteriaOf(ctx, search);
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    filename: `withdrawals-${ctx.now.toISOString().slice(0, 10)}.csv`,
    chunks: writeRows(ctx, criteria),
  };
}

async function* writeRows(
  { db }: Ctx,
  criteria: Awaited<ReturnType<typeof criteriaOf>>,
): AsyncGenerator<string> {
  yield `${columns.map(([name]) => name).join(',')}\r\n`;
  if (!criteria) return;
  // New ones get higher ids, so it ends.
  for (let before: string | undefined; ; ) {
    const rows = await searchWithdrawals(db, { ...criteria, before, limit: pageSize });
    if (rows.length > 0) yield rows.map(writeRow).join('');
    if (rows.length < pageSize) return;
    before = rows.at(-1)!.id;
  }
}

const writeRow = (row: TracedRow) => `${columns.map(([, read]) => writeCell(read(row))).join(',')}\r\n`;
