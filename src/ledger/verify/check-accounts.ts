import type { Db } from '../../platform/db.ts';
import { subjectOf } from './check-nodes.ts';
import { compare, type Report } from './faults.ts';
import {
  type AccountRow,
  checkEntryPart,
  checkMovementPart,
  checkSumPart,
  noPlace,
  type Sums,
  selectAccounts,
} from './queries.ts';
import type { Sizes } from './sizes.ts';

/** Sums up a user's accounts anew, from their movements and from their entries. */
export async function checkAccounts(
  db: Db,
  userId: string,
  ledgerId: bigint | null,
  sizes: Sizes,
  report: Report,
): Promise<void> {
  for (const account of await selectAccounts(db, userId)) {
    const subject = nameOf(account);
    const moved = await sumMovements(db, account, ledgerId, sizes, report);
    const entered = await sumEntries(db, account, sizes, report);
    compare(report, subject, 'Its balance, the sum of its movements,', {
      ...{ expected: moved.amount, found: account.balance },
    });
    compare(report, subject, 'Its balance, the sum of its entries,', {
      ...{ expected: entered.amount, found: account.balance },
    });
    if (moved.amount === entered.amount && moved.weighed !== entered.weighed && moved.isSound) {
      report(subject, 'Its entries should be those of its lines in each posting, and only their sum is.');
    }
    if (!account.isHeldRight) {
      report(subject, `What is held should be from 0 to ${account.balance} and is ${account.held}.`);
    }
    await checkStraySums(db, account, ledgerId, sizes, report);
  }
}

const nameOf = ({ id, network, currency }: AccountRow) => `account ${id}, ${currency} on ${network}`;

interface Total extends Pick<Sums, 'amount' | 'weighed'> {
  isSound: boolean;
}

async function sumMovements(
  db: Db,
  account: AccountRow,
  ledgerId: bigint | null,
  { rowsAtOnce }: Sizes,
  report: Report,
): Promise<Total> {
  const total = createTotal();
  let isSound = true;
  let last = noPlace;
  for (let isMore = true; isMore; ) {
    const part = await checkMovementPart(db, account.id, ledgerId, last, rowsAtOnce);
    for (const { number, at, amount, expected } of part.faults) {
      isSound = false;
      const should = expected === null ? 'should not be there' : `should be ${expected}`;
      report(nameOf(account), `Its movement by line ${number} of ${at} ${should} and is ${amount}.`);
    }
    total.add(part);
    last = part.last;
    isMore = part.rows === BigInt(rowsAtOnce);
  }
  return { ...total.read(), isSound };
}

async function sumEntries(
  db: Db,
  account: AccountRow,
  { rowsAtOnce }: Sizes,
  report: Report,
): Promise<Omit<Total, 'isSound'>> {
  const total = createTotal();
  let last = { postingId: noPlace.number, line: -32_768 };
  for (let isMore = true; isMore; ) {
    const part = await checkEntryPart(db, account.id, last, rowsAtOnce);
    for (const postingId of part.unposted) {
      report(nameOf(account), `It has an entry of posting ${postingId}, which is not there.`);
    }
    total.add(part);
    last = part.last;
    isMore = part.rows === BigInt(rowsAtOnce);
  }
  return total.read();
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

/** Adds up parts. Behind our back an amount may have become NaN, which no BigInt holds, and then the total is that. */
function createTotal() {
  const totals = { amount: 0n, weighed: 0n };
  let noNumber: string | undefined;
  return {
    add(part: Sums) {
      for (const name of ['amount', 'weighed'] as const) {
        if (/^-?\d+$/.test(part[name])) totals[name] += BigInt(part[name]);
        else noNumber = part[name];
      }
    },
    read: () => ({
      amount: noNumber ?? String(totals.amount),
      weighed: noNumber ?? String(totals.weighed),
    }),
  };
}
