import type { Db } from '#platform/db/db';
import {
  selectUnbalancedPostings,
  selectWrongBalances,
  type UnbalancedPosting,
  type WrongBalance,
} from './queries/books.ts';

export interface BookFaults {
  unbalancedPostings: UnbalancedPosting[];
  wrongBalances: WrongBalance[];
}

/**
 * Sums all books again from their lines. Both lists are empty when the books are right.
 * @example
 * assert.deepEqual(await checkBooks(db), { unbalancedPostings: [], wrongBalances: [] });
 */
export async function checkBooks(db: Db): Promise<BookFaults> {
  return {
    unbalancedPostings: await selectUnbalancedPostings(db),
    wrongBalances: await selectWrongBalances(db),
  };
}
