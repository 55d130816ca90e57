import { type Ctx, inTransaction } from '#context';
import type { Db } from '#platform/db/db';
import { checkEnd, walkLines } from './check-lines.ts';
import { type Checkpoint, checkpointOf, compareFigures, readCheckpoint, types } from './checkpoint.ts';
import type { Report } from './faults.ts';
import { selectAccounts } from './queries/accounts.ts';
import { selectLineHash, sumLinePart } from './queries/checks.ts';
import { freezeView, type ListRow, selectLists } from './queries/lists.ts';
import type { Sizes } from './sizes.ts';

export interface UserVerdict {
  lines: bigint;
  /** Undefined for a user who has none. */
  ledger?: ListRow;
  /** Where the next check may start if this one found no fault. */
  checkpoint?: Checkpoint | undefined;
}

/**
 * Checks the lines after a user's last check, in one snapshot: they continue its chain, and its counts and
 * balances with them are those of today. Undefined if there is no valid check to start from.
 */
export function verifySince(
  ctx: Ctx,
  userId: string,
  sizes: Sizes,
  report: Report,
): Promise<UserVerdict | undefined> {
  return inTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    await freezeView(db);
    const ledger = (await selectLists(db, userId)).find(({ isSettled }) => isSettled);
    const since = ledger && (await readCheckpoint(ctx, ledger.id));
    if (!since) return undefined;
    await checkAnchor(db, ledger, since, report);
    const balances = await readBalances(db, userId);
    const expected = new Map(Object.entries(since.balances).map(([id, amount]) => [id, BigInt(amount)]));
    const start = { number: since.lastNumber, hash: Buffer.from(since.lastHash, 'hex') };
    const onPart = async (from: { number: bigint }, upto: { number: bigint }) => {
      for (const { accountId, amount } of await sumLinePart(db, ledger.id, from.number, upto.number)) {
        // What is no number is found with its line, whose hash differs.
        if (!/^-?\d+$/.test(amount)) continue;
        expected.set(accountId, (expected.get(accountId) ?? 0n) + BigInt(amount));
      }
    };
    const { total, end } = await walkLines(db, ledger, { userId, start, onPart }, sizes, report);
    checkEnd(ledger, end, report);
    for (const type of types) total[type] += since[type];
    const should = Object.fromEntries([...expected].map(([id, amount]) => [id, String(amount)]));
    compareFigures({ ...total, balances: should }, { ...ledger, balances }, report);
    return { lines: total.lines, ledger, checkpoint: checkpointOf(ledger, balances) };
  });
}

/** Lines that were replaced by others whose hashes fit still differ from the sealed hash. */
export async function checkAnchor(
  db: Db,
  { id }: ListRow,
  { lastNumber, lastHash }: Checkpoint,
  report: Report,
): Promise<void> {
  const found = (await selectLineHash(db, id, lastNumber))?.toString('hex');
  if (found === lastHash) return;
  const now = found ? `has hash ${found}` : 'is not there';
  report(
    `line ${lastNumber}`,
    `An earlier check found hash ${lastHash}, and now the line ${now}: lines were replaced or removed.`,
  );
}

/** What a user has, by account id. */
export async function readBalances(db: Db, userId: string): Promise<Checkpoint['balances']> {
  const accounts = await selectAccounts(db, userId);
  return Object.fromEntries(accounts.map(({ id, balance }) => [String(id), balance]));
}
