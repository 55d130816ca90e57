import type { Ctx } from '#context';
import { ledgerErrors } from '../errors.ts';
import type { LineView } from './line.ts';
import { presentPageLine } from './present-line.ts';
import { selectLinesOfTransaction } from './queries.ts';

/**
 * The lines of a user's ledger that one transaction on chain has made, newest first; a hash is the same in
 * any case. What others have of the same transaction is theirs alone.
 */
export async function findLinesOfTransaction(
  { db, evm }: Ctx,
  { userId, transactionHash }: { userId: string; transactionHash: string },
): Promise<LineView[]> {
  const rows = await selectLinesOfTransaction(db, userId, transactionHash.toLowerCase());
  if (rows.length === 0) throw ledgerErrors.transactionNotFound();
  return rows.map((row) => presentPageLine(evm, row));
}
