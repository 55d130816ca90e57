import { type Ctx, inTransaction } from '#context';
import type { Db } from '#platform/db/db';
import { freezeView } from '#platform/db/freeze-view';
import { checkEnd, walkLines } from './check-lines.ts';
import {
  balancesOf,
  type Checkpoint,
  checkpointOf,
  compareAssets,
  compareFigures,
  readCheckpoint,
  types,
} from './checkpoint.ts';
import type { Report } from './faults.ts';
import { selectAccounts } from './queries/accounts.ts';
import { type Accounts, selectLineHash, sumLinePart } from './queries/checks.ts';
import { type ListRow, selectLists } from './queries/lists.ts';
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
    const since = ledger && (await readCheckpoint(ctx, { userId, listId: ledger.id }));
    if (!since) return undefined;
    await checkAnchor(db, ledger, since, report);
    const accounts = await readAccounts(db, userId);
    compareAssets(since, accounts, report);
    const before = Object.entries(balancesOf(since.accounts));
    const expected = new Map(before.map(([id, amount]) => [id, BigInt(amount)]));
    const start = { number: since.lastNumber, hash: Buffer.from(since.lastHash, 'hex') };
    const onPart = async (from: { number: bigint }, upto: { number: bigint }) => {
      for (const { accountId, amount } of await sumLinePart(db, ledger.id, from.number, upto.number)) {
        if (/^-?\d+$/.test(amount)) expected.set(accountId, (expected.get(accountId) ?? 0n) + BigInt(amount));
        else report(`account ${accountId}`, `Lines since the last check move it by ${amount}.`);
      }
    };
    const { total, end } = await walkLines(db, ledger, { userId, start, onPart }, sizes, report);
    checkEnd(ledger, end, report);
    for (const type of types) total[type] += since[type];
    const should = Object.fromEntries([...expected].map(([id, amount]) => [id, String(amount)]));
    compareFigures({ ...total, balances: should }, { ...ledger, accounts }, report);
    return { lines: total.lines, ledger, checkpoint: checkpointOf(ledger, accounts) };
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

export async function readAccounts(db: Db, userId: string): Promise<Accounts> {
  const accounts = await selectAccounts(db, userId);
  return Object.fromEntries(
    accounts.map(({ id, network, currency, balance }) => [
      String(id),
      { asset: `${currency} on ${network}`, balance },
    ]),
  );
}
