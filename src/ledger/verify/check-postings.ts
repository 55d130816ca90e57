import type { Db } from '../../platform/db.ts';
import type { Report } from './faults.ts';
import { checkPostingPart } from './queries.ts';
import type { Sizes } from './sizes.ts';

/**
 * Checks that the next postings have lines; that lines have postings is found with the lines. Says how far it went; null at the end.
 */
export async function checkPostings(
  db: Db,
  after: bigint,
  { rowsAtOnce }: Sizes,
  report: Report,
): Promise<bigint | null> {
  const { upto, without } = await checkPostingPart(db, after, rowsAtOnce);
  for (const postingId of without) report(`posting ${postingId}`, 'It should have a line and has none.');
  return upto;
}
