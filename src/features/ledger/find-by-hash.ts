import type { Ctx, KeyActor } from '#context';
import { invalidField } from '#platform/errors/errors';
import { describeLines } from './describe-lines.ts';
import { ledgerErrors } from './errors.ts';
import { selectUnsettledOfTransaction } from './find/queries/found.ts';
import { movesEurc } from './lines/line.ts';
import { presentPageLine } from './lines/present-line.ts';
import { selectLinesOfTransaction } from './lines/queries/lookups.ts';
import { type History, type HistoryArguments, presentTransaction } from './tools-wire.ts';
import { presentUnsettled } from './unsettled/list-unsettled.ts';
import { selectUnsettledRecords } from './unsettled/queries.ts';

/** What the account has of one on-chain transaction, settled or not. An unknown hash is refused. */
export async function findByHash(
  ctx: Ctx<KeyActor>,
  { filterByHash, includeIds: _, ...others }: HistoryArguments & { filterByHash: string },
): Promise<History> {
  const [other] = Object.keys(others);
  if (other !== undefined) {
    const message = `cannot be combined with ${other}: leave out ${other} to find one transaction, or filterByHash to list a period`;
    throw invalidField('filterByHash', message);
  }
  const { db, evm, actor } = ctx;
  const { userId } = actor;
  const hash = filterByHash.toLowerCase();
  const rows = await selectLinesOfTransaction(db, userId, hash);
  const answer = { userId, filterByHash, truncated: false };
  if (rows.length > 0) {
    const lines = rows.map((row) => ({ ...presentPageLine(evm, row), number: row.number }));
    const transactions = await describeLines(ctx, lines, { includeIds: true });
    const hasEurcActivity = lines.some(movesEurc);
    return { ...answer, state: 'settled', count: lines.length, hasEurcActivity, transactions };
  }
  const operationIds = await selectUnsettledOfTransaction(db, userId, hash);
  const records = await selectUnsettledRecords(db, userId, operationIds);
  if (records.length === 0) throw ledgerErrors.transactionNotFound();
  const views = records.map((record) => presentUnsettled(ctx, record));
  return {
    ...answer,
    state: 'unsettled',
    count: views.length,
    hasEurcActivity: views.some(movesEurc),
    transactions: views.map((view) => ({
      ...presentTransaction(view, { includeIds: true }),
      transactionHash: hash,
    })),
  };
}
