import type { Ctx } from '#context';
import { userErrors, userExists } from '#features/users';
import { type CursorInput, decodeCursor, toCursorPage } from '#platform/commands/cursor-page';
import { commonErrors } from '#platform/errors/errors';
import { checkHouse } from './check-house.ts';
import { checkPostings } from './check-postings.ts';
import { type Fault, Faults } from './faults.ts';
import { noPlace, selectUserIds } from './queries/lists.ts';
import { type Sizes, usualSizes } from './sizes.ts';
import { verifyUser } from './verify-user.ts';

export interface VerifyLedger extends CursorInput {
  /** One user, or, part by part, the house, all postings and then all users. */
  userId?: string;
}

/**
 * Where a user's ledger ends. Kept elsewhere, it shows later whether the lines up to there are still the
 * same.
 */
export interface LedgerHead {
  userId: string;
  lastNumber: number;
  lastHash: string;
}

export interface LedgerVerdict {
  isSound: boolean;
  users: number;
  lines: number;
  faultCount: number;
  /** The first of each kind. */
  faults: Fault[];
  heads: LedgerHead[];
  nextCursor: string | null;
}

/**
 * Recomputes balances, counters and hash chains and reports differences. Each user is read in one snapshot,
 * so postings may go on; each statement reads a bounded part, however long a ledger is.
 */
export async function verifyLedger(
  ctx: Ctx,
  input: VerifyLedger,
  sizes = usualSizes,
): Promise<LedgerVerdict> {
  const work = new Work(ctx, sizes);
  if (input.userId !== undefined) {
    const userId = input.userId.toLowerCase();
    if (input.cursor !== undefined) throw refuseCursor();
    if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
    await work.verifyUser(userId);
    return work.answer(null);
  }
  const [stage, key] = decodeCursor(list, input.cursor, cursorForm)?.split(' ') ?? [];
  if (stage === undefined) await work.verifyHouse();
  if (stage !== 'user') {
    const stoppedAt = await work.verifyPostings(key === undefined ? noPlace.number : BigInt(key));
    if (stoppedAt !== null) return work.answer(cursorAfter(`posting ${stoppedAt}`));
  }
  const { limit = 50 } = input;
  const userIds = await selectUserIds(ctx.db, stage === 'user' ? key : undefined, limit + 1);
  let done = 0;
  // One at least, or the next call would be no further.
  while (done < Math.min(limit, userIds.length) && (done === 0 || !work.isEnough)) {
    await work.verifyUser(userIds[done]!);
    done += 1;
  }
  const { nextCursor } = toCursorPage(list, userIds, done, (userId) => `user ${userId}`);
  return work.answer(nextCursor);
}

const list = 'ledger.verify';
const cursorForm = /^(?:posting -?\d{1,18}|user [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** A page of one, with more to come. */
const cursorAfter = (key: string) => toCursorPage(list, [key, ''], 1, (each) => each).nextCursor;

const refuseCursor = () =>
  commonErrors.invalidRequest({
    message: 'cursor cannot be used with userId',
    details: [{ field: 'cursor', message: 'leave it out when you pass userId' }],
  });

/** What one call has looked at and found. */
class Work {
  #rows = 0;
  #lines = 0;
  #users = 0;
  readonly #faults = new Faults();
  readonly #heads: LedgerHead[] = [];
  readonly #ctx: Ctx;
  readonly #sizes: Sizes;

  constructor(ctx: Ctx, sizes: Sizes) {
    this.#ctx = ctx;
    this.#sizes = sizes;
  }

  get isEnough(): boolean {
    return this.#rows >= this.#sizes.rowsMax;
  }

  async verifyHouse(): Promise<void> {
    const accounts = await checkHouse(this.#ctx, this.#sizes, this.#faults.reportFor(null));
    // An account takes a tenth of the time of a line.
    this.#rows += accounts / 10;
  }

  /** Goes on after a posting. Says where it stopped; null where all were looked at. */
  async verifyPostings(from: bigint): Promise<bigint | null> {
    let after: bigint | null = from;
    while (after !== null && !this.isEnough) {
      after = await checkPostings(this.#ctx.db, after, this.#sizes, this.#faults.reportFor(null));
      // A posting takes a tenth of the time of a line.
      this.#rows += this.#sizes.rowsAtOnce / 10;
    }
    return after;
  }

  async verifyUser(userId: string): Promise<void> {
    const { lines, head } = await verifyUser(this.#ctx, userId, this.#sizes, this.#faults.reportFor(userId));
    this.#users += 1;
    this.#lines += Number(lines);
    this.#rows += Number(lines);
    if (head) this.#heads.push({ userId, ...head, lastNumber: Number(head.lastNumber) });
  }

  answer(nextCursor: string | null): LedgerVerdict {
    const { count, kept } = this.#faults;
    return {
      isSound: count === 0,
      users: this.#users,
      lines: this.#lines,
      faultCount: count,
      faults: kept,
      heads: this.#heads,
      nextCursor,
    };
  }
}
