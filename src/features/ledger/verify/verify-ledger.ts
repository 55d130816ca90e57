import type { Ctx } from '#context';
import { userErrors, userExists } from '#features/users';
import { type CursorInput, decodeCursor, nameList, toCursorPage } from '#platform/commands/cursor-page';
import { commonErrors } from '#platform/errors/errors';
import { checkHouse } from './check-house.ts';
import { checkPostings } from './check-postings.ts';
import {
  balancesOf,
  compareAssets,
  compareFigures,
  openCheckpoint,
  readCheckedPosting,
  saveCheckpoint,
} from './checkpoint.ts';
import { type Fault, Faults } from './faults.ts';
import { noteVerdict } from './note-verdict.ts';
import { type HeadRow, selectHeads, selectPostingBeyond } from './queries/checks.ts';
import { noPlace, selectUserIds } from './queries/lists.ts';
import { savePostings } from './save-postings.ts';
import { type Sizes, usualSizes } from './sizes.ts';
import { verifySince } from './verify-since.ts';
import { verifyUser } from './verify-user.ts';

export interface VerifyLedger extends CursorInput {
  /** One user, or, part by part, the house, all postings and then all users. */
  userId?: string;
  /** Only what was added after the last check that found no fault. */
  sinceLast?: boolean;
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
 * so postings may go on; each statement reads a bounded part, however long a ledger is. Where it finds no
 * fault it stores a sealed check, from which the next one may continue.
 */
export async function verifyLedger(
  ctx: Ctx,
  input: VerifyLedger,
  sizes = usualSizes,
): Promise<LedgerVerdict> {
  const { sinceLast = false } = input;
  const work = new Work(ctx, sizes, sinceLast);
  if (input.userId !== undefined) {
    const userId = input.userId.toLowerCase();
    if (input.cursor !== undefined) throw refuseCursor();
    if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
    await work.verifyUser(userId);
    return work.answer(null);
  }
  const list = nameList('ledger.verify', { sinceLast: sinceLast || undefined });
  /** Of a page of one, with more to come. */
  const cursorAfter = (key: string) => toCursorPage(list, [key, ''], 1, (each) => each).nextCursor;
  const [stage, key] = decodeCursor(list, input.cursor, cursorForm)?.split(' ') ?? [];
  if (stage === undefined) await work.verifyHouse();
  if (stage !== 'user') {
    const stoppedAt = await work.verifyPostings(key === undefined ? undefined : BigInt(key));
    await work.noteBooks({ isPart: stage !== undefined });
    if (stoppedAt !== null) return work.answer(cursorAfter(`posting ${stoppedAt}`));
  }
  const { limit = 50 } = input;
  const after = stage === 'user' ? key : undefined;
  const last = await (sinceLast ? work.verifyHeads(after, limit) : work.verifyUsers(after, limit));
  if (last === undefined) await work.noteRun();
  return work.answer(last === undefined ? null : cursorAfter(`user ${last}`));
}

const cursorForm = /^(?:posting -?\d{1,18}|user [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

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
  readonly #sinceLast: boolean;

  constructor(ctx: Ctx, sizes: Sizes, sinceLast: boolean) {
    this.#ctx = ctx;
    this.#sizes = sizes;
    this.#sinceLast = sinceLast;
  }

  get #isEnough(): boolean {
    return this.#rows >= this.#sizes.rowsMax;
  }

  async verifyHouse(): Promise<void> {
    const accounts = await checkHouse(this.#ctx, this.#sizes, this.#faults.reportFor(null));
    // An account takes a tenth of the time of a line.
    this.#rows += accounts / 10;
  }

  /** What was found in the house and in postings, before users are read. */
  noteBooks({ isPart }: { isPart: boolean }): Promise<void> {
    const { count: faultCount, kept: faults } = this.#faults;
    return noteVerdict(this.#ctx, {
      subject: 'books',
      faultCount,
      faults,
      sinceLast: this.#sinceLast,
      isPart,
    });
  }

  /** A run through all users has ended. What it found is noted at each user. */
  noteRun(): Promise<void> {
    return noteVerdict(this.#ctx, { subject: 'all', faultCount: 0, faults: [], sinceLast: this.#sinceLast });
  }

  /** Goes on after a posting. Returns where it stopped, and null if all were checked. */
  async verifyPostings(given: bigint | undefined): Promise<bigint | null> {
    const checked = await readCheckedPosting(this.#ctx);
    const from = given ?? (this.#sinceLast ? checked : undefined) ?? noPlace.number;
    const faultsBefore = this.#faults.count;
    const beyond = await selectPostingBeyond(this.#ctx.db);
    if (beyond !== null) this.#faults.reportFor(null)(`posting ${beyond}`, 'Its number was never given.');
    let after: bigint | null = from;
    // Once at least, also after a long check of the house, or the next call would be no further.
    do {
      after = await checkPostings(this.#ctx.db, after, this.#sizes, this.#faults.reportFor(null));
      // A posting takes a tenth of the time of a line.
      this.#rows += this.#sizes.rowsAtOnce / 10;
    } while (after !== null && !this.#isEnough);
    if (this.#faults.count === faultsBefore) await savePostings(this.#ctx, { checked, from, upto: after });
    return after;
  }

  /** Checks the next users, one at least. Returns the last of them, and undefined if no more follow. */
  async verifyUsers(after: string | undefined, limit: number): Promise<string | undefined> {
    const userIds = await selectUserIds(this.#ctx.db, after, limit + 1);
    let done = 0;
    // One at least, or the next call would be no further.
    while (done < Math.min(limit, userIds.length) && (done === 0 || !this.#isEnough)) {
      await this.verifyUser(userIds[done]!);
      done += 1;
    }
    return done < userIds.length ? userIds[done - 1] : undefined;
  }

  /**
   * The same, for the lines since the last check; users without new lines and noted faults are not part of
   * `limit`.
   */
  async verifyHeads(from: string | undefined, limit: number): Promise<string | undefined> {
    let after = from;
    let changed = 0;
    for (;;) {
      const rows = await selectHeads(this.#ctx.db, after, headsAtOnce);
      for (const row of rows) {
        if (changed >= limit || (after !== from && this.#isEnough)) return after;
        const faultsBefore = this.#faults.count;
        // A fault may be corrected without a new line, so a ledger that had one is checked again.
        if (row.isFaulty || !this.#isUnchanged(row)) {
          await this.verifyUser(row.userId);
          changed += 1;
        } else if (this.#faults.count > faultsBefore) {
          await this.#noteUser(row.userId, faultsBefore, { sinceLast: true });
        }
        after = row.userId;
      }
      if (rows.length < headsAtOnce) return undefined;
    }
  }

  /** True if the ledger ends where its last check ended; its counts and balances are compared then. */
  #isUnchanged({ userId, ledger, lastLine, accounts, sealed }: HeadRow): boolean {
    const owned = ledger && { userId, listId: ledger.id };
    const checkpoint = owned ? openCheckpoint(this.#ctx, owned, sealed) : undefined;
    if (lastLine?.number !== (ledger?.lastNumber || undefined)) return false;
    if (ledger && checkpoint) {
      if (checkpoint.lastHash !== lastLine?.hash.toString('hex')) return false;
      if (checkpoint.lastNumber !== ledger.lastNumber) return false;
      if (checkpoint.lastHash !== ledger.lastHash?.toString('hex')) return false;
      const report = this.#faults.reportFor(userId);
      compareFigures(
        { ...checkpoint, balances: balancesOf(checkpoint.accounts) },
        { ...ledger, accounts },
        report,
      );
      compareAssets(checkpoint, accounts, report);
    } else if (ledger?.lastNumber || Object.values(accounts).some(({ balance }) => balance !== '0')) {
      return false;
    }
    this.#users += 1;
    // Reading and opening a check takes about as long as a line.
    this.#rows += 1;
    return true;
  }

  async verifyUser(userId: string): Promise<void> {
    const [ctx, sizes, faultsBefore] = [this.#ctx, this.#sizes, this.#faults.count];
    const report = this.#faults.reportFor(userId);
    const since = this.#sinceLast ? await verifySince(ctx, userId, sizes, report) : undefined;
    const verdict = since ?? (await verifyUser(ctx, userId, sizes, report));
    const { lines, ledger, checkpoint } = verdict;
    this.#users += 1;
    this.#lines += Number(lines);
    this.#rows += Number(lines);
    await this.#noteUser(userId, faultsBefore, { sinceLast: since !== undefined, ledger });
    if (!ledger) return;
    if (checkpoint && this.#faults.count === faultsBefore)
      await saveCheckpoint(ctx, { userId, listId: ledger.id }, checkpoint);
    const { lastNumber, lastHash } = ledger;
    this.#heads.push({ userId, lastNumber: Number(lastNumber), lastHash: lastHash?.toString('hex') ?? '' });
  }

  /** The first faults of the user; those after the 200th of a call are only counted. */
  #noteUser(
    userId: string,
    faultsBefore: number,
    read: { sinceLast: boolean; ledger?: { lastNumber: bigint; lastHash: Buffer | null } | undefined },
  ): Promise<void> {
    const { count, kept } = this.#faults;
    const faults = kept.filter((fault) => fault.userId === userId);
    return noteVerdict(this.#ctx, { subject: userId, faultCount: count - faultsBefore, faults, ...read });
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

const headsAtOnce = 1_000;
