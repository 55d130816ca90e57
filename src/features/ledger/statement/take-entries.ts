import type { Entry, Statement, StatementBalance } from '../open-statement.ts';

/**
 * Yields the entries of an asset one by one. Throws unless opening balance and entries are the closing
 * balance, so that no statement is incomplete.
 */
export async function* takeEntries(statement: Statement, balance: StatementBalance): AsyncGenerator<Entry> {
  let sum = balance.opening;
  for await (const entries of statement.entriesOf(balance)) {
    for (const entry of entries) {
      sum += entry.amount;
      yield entry;
    }
  }
  if (sum === balance.closing) return;
  const { network, currency } = balance;
  throw new Error(`the lines of ${currency} on ${network} do not lead to the closing balance`);
}
