import { type Ctx, inTransaction } from '#context';
import { freezeView } from '#platform/db/freeze-view';
import { compare, type Report } from './faults.ts';
import { selectHouse, sumBalancesPart } from './queries/accounts.ts';
import { noPlace } from './queries/lists.ts';
import type { Sizes } from './sizes.ts';

/**
 * Checks that what the house has and what users have sum to zero for each asset, as both are at one moment.
 * Returns the number of accounts that were read.
 */
export function checkHouse(ctx: Ctx, { rowsAtOnce }: Sizes, report: Report): Promise<number> {
  return inTransaction(ctx, async ({ db }) => {
    await freezeView(db);
    const owed = new Map<string, bigint>();
    let accounts = 0;
    let after: bigint | null = noPlace.number;
    while (after !== null) {
      const part = await sumBalancesPart(db, after, rowsAtOnce);
      for (const { network, currency, amount } of part.sums) {
        const asset = `${currency} on ${network}`;
        // What is no number is named with its account.
        if (/^-?\d+$/.test(amount)) owed.set(asset, (owed.get(asset) ?? 0n) + BigInt(amount));
      }
      accounts += Number(part.accounts);
      after = part.upto;
    }
    for (const { network, currency, amount: found } of await selectHouse(db)) {
      const asset = `${currency} on ${network}`;
      const expected = String(-(owed.get(asset) ?? 0n));
      compare(report, `house, ${asset}`, 'What it has, the opposite of all balances,', {
        expected,
        found,
      });
      owed.delete(asset);
    }
    for (const [asset, sum] of owed) {
      if (sum === 0n) continue;
      report(
        `house, ${asset}`,
        `What it has, the opposite of all balances, should be ${-sum} and is not there.`,
      );
    }
    return accounts;
  });
}
