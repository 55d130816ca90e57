import type { Db } from '#platform/db/db';
import { subjectOf } from './check-nodes.ts';
import { compare, type Report } from './faults.ts';
import { type AccountRow, checkMovementPart, selectAccounts } from './queries/accounts.ts';
import { noPlace } from './queries/lists.ts';
import { checkSumPart } from './queries/nodes.ts';
import type { Sizes } from './sizes.ts';

/** Recomputes a user's accounts; `holds` has what their open withdrawals hold, by asset. */
export async function checkAccounts(
  db: Db,
  userId: string,
  { ledgerId, holds }: { ledgerId: bigint | null; holds: ReadonlyMap<string, bigint> },
  sizes: Sizes,
  report: Report,
): Promise<void> {
  const unseen = new Map(holds);
  for (const account of await selectAccounts(db, userId)) {
    const subject = nameOf(account);
    const moved = await sumMovements(db, account, ledgerId, sizes, report);
    compare(report, subject, 'Its balance, the sum of its movements,', {
      expected: moved,
      found: account.balance,
    });
    if (!account.isHeldRight) {
      report(subject, `What is held should be from 0 to ${account.balance} and is ${account.held}.`);
    }
    compare(report, subject, heldName, {
      expected: String(unseen.get(assetOf(account)) ?? 0n),
      found: account.held,
    });
    unseen.delete(assetOf(account));
    await checkStraySums(db, account, ledgerId, sizes, report);
  }
  for (const [asset, held] of unseen) {
    report(asset, `${heldName} should be ${held}, and there is no such account.`);
  }
}

const heldName = 'What is held, the sum of its open withdrawals,';

const assetOf = ({ network, currency }: AccountRow) => `${currency} on ${network}`;

const nameOf = (account: AccountRow) => `account ${account.id}, ${assetOf(account)}`;

/**
 * As text: behind our back an amount may have become NaN, which no BigInt holds, and then the sum is that.
 */
async function sumMovements(
  db: Db,
  account: AccountRow,
  ledgerId: bigint | null,
  { rowsAtOnce }: Sizes,
  report: Report,
): Promise<string> {
  let sum = 0n;
  let noNumber: string | undefined;
  let last = noPlace;
  for (let isMore = true; isMore; ) {
    const part = await checkMovementPart(db, account.id, ledgerId, last, rowsAtOnce);
    for (const { number, at, amount, expected } of part.faults) {
      const should = expected === null ? 'should not be there' : `should be ${expected}`;
      report(nameOf(account), `Its movement by line ${number} of ${at} ${should} and is ${amount}.`);
    }
    if (/^-?\d+$/.test(part.amount)) sum += BigInt(part.amount);
    else noNumber = part.amount;
    last = part.last;
    isMore = part.rows === BigInt(rowsAtOnce);
  }
  return noNumber ?? String(sum);
}

async function checkStraySums(
  db: Db,
  account: AccountRow,
  ledgerId: bigint | null,
  { rowsAtOnce }: Sizes,
  report: Report,
): Promise<void> {
  let from: Parameters<typeof checkSumPart>[3] | null = { ...noPlace, level: -32_768 };
  while (from) {
    const part = await checkSumPart(db, account.id, ledgerId, from, rowsAtOnce);
    for (const { level, at, number, amount } of part.strays) {
      const node = subjectOf('ledger', level, { at, number: BigInt(number) });
      report(node, `Account ${account.id} has a sum of ${amount} in it, and there is no such node.`);
    }
    from = part.sums === BigInt(rowsAtOnce) ? part.last : null;
  }
}
