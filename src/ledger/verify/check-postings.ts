import type { Db } from '../../platform/db.ts';
import type { Report } from './faults.ts';
import { selectPostingBound, selectWrongPostings, type WrongPosting } from './queries.ts';
import type { Sizes } from './sizes.ts';

/** Checks the next postings: they have entries, of accounts that exist, which sum to zero. Says how far it went; null at the end. */
export async function checkPostings(
  db: Db,
  after: bigint,
  { rowsAtOnce }: Sizes,
  report: Report,
): Promise<bigint | null> {
  const upto = await selectPostingBound(db, after, rowsAtOnce);
  for (const wrong of await selectWrongPostings(db, after, upto)) reportPosting(wrong, report);
  return upto;
}

function reportPosting(wrong: WrongPosting, report: Report): void {
  const subject = `posting ${wrong.postingId}`;
  if (!wrong.isPosted) report(subject, 'It should be there, since entries name it, and it is not.');
  for (const accountId of wrong.missingAccounts ?? []) {
    report(subject, `An entry names account ${accountId}, which is not there.`);
  }
  if (wrong.sum === null) report(subject, 'It should have entries and has none.');
  else if (wrong.sum !== '0' && wrong.network !== null) {
    report(
      subject,
      `Its entries in ${wrong.currency} on ${wrong.network} should sum to 0 and sum to ${wrong.sum}.`,
    );
  }
}
