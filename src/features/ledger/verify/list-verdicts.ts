import type { Ctx } from '#context';
import { userErrors, userExists } from '#features/users';
import { type CursorInput, decodeCursor, toCursorPage } from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { selectEnds, selectFaulty, selectVerdicts, type Verdict } from './queries/verdicts.ts';

export interface LedgerState {
  userId: string;
  /** Null for a ledger that was never verified. */
  verdict: Verdict | null;
  /** Where the ledger ends now. */
  lastNumber: number;
  lastHash: string | null;
}

/** What the last verifications found: of the house and all postings, of all users, and of ledgers. */
export async function listVerdicts(
  { db }: Ctx,
  { userId: given, cursor, limit = 50 }: CursorInput & { userId?: string },
) {
  const userId = given?.toLowerCase();
  if (userId !== undefined && !(await userExists(db, userId))) throw userErrors.userNotFound();
  const after = decodeCursor('ledger.verdicts', cursor, uuidForm);
  const [whole, faulty] = await Promise.all([
    selectVerdicts(db, ['all', 'books']),
    userId === undefined ? selectFaulty(db, { after, limit: limit + 1 }) : selectVerdicts(db, [userId]),
  ]);
  const page = toCursorPage('ledger.verdicts', faulty, limit, ({ subject }) => subject);
  const userIds = userId === undefined ? page.items.map(({ subject }) => subject) : [userId];
  const ends = new Map((await selectEnds(db, userIds)).map((end) => [end.userId, end]));
  const ofSubject = (subject: string) => whole.find((one) => one.subject === subject) ?? null;
  return {
    all: ofSubject('all'),
    books: ofSubject('books'),
    items: userIds.map((userId): LedgerState => {
      const end = ends.get(userId);
      return {
        userId,
        verdict: page.items.find(({ subject }) => subject === userId) ?? null,
        lastNumber: Number(end?.lastNumber ?? 0n),
        lastHash: end?.lastHash ?? null,
      };
    }),
    nextCursor: page.nextCursor,
  };
}
