import type { Db } from '#platform/db/db';
import type { Report } from './faults.ts';
import { checkPostingPart } from './queries/lines.ts';
import type { Sizes } from './sizes.ts';

/**
 * Checks that the next postings have the lines that they say they have; that lines have postings is found
 * with the lines. Says how far it went; null at the end.
 */
export async function checkPostings(
  db: Db,
  after: bigint,
  { rowsAtOnce }: Sizes,
  report: Report,
): Promise<bigint | null> {
  const { upto, without } = await checkPostingPart(db, after, rowsAtOnce);
  for (const postingId of without) report(`posting ${postingId}`, 'A line of it should be there and is not.');
  return upto;
}
