import { violates } from '#platform/db/db';
import { ledgerErrors } from './errors.ts';

/**
 * Maps a constraint violation to a row of the error table. If the posting exists already, `replay` may return
 * its answer. Any other error is thrown unchanged.
 */
export async function asLedgerRefusal<T>(error: unknown, replay: () => Promise<T | undefined>): Promise<T> {
  if (violates(error, 'ledger_postings_operation_key')) {
    const former = await replay();
    if (former) return former;
  }
  if (violates(error, 'ledger_accounts_funds')) throw ledgerErrors.insufficientBalance({ cause: error });
  if (violates(error, 'ledger_lines_unique_hash_id_key')) {
    throw ledgerErrors.alreadyInLedger({
      message: 'A line with this transactionHash and logIndex is in the ledger already',
      cause: error,
    });
  }
  if (violates(error, 'ledger_credits_pkey')) {
    throw ledgerErrors.alreadyInLedger({
      message:
        'This transfer was credited already: a line with this transactionHash and logIndex is in a ledger',
      cause: error,
    });
  }
  throw error;
}
