import assert from 'node:assert/strict';
import { findTransactions } from '../../src/features/cards/lists/find-transactions.ts';
import { median, noteWorst, ratioOf, takeTurns } from '../measure.ts';
import { firstDay, lastDay } from './seed.ts';
import { type CardWorld, keyContext } from './world.ts';

/** About 300,000 of a million transactions. */
const windowOf300 = {
  startAt: new Date(firstDay + (lastDay - firstDay) * 0.35),
  endAt: new Date(firstDay + (lastDay - firstDay) * 0.65),
};
const searchMsMax = 200;

/** What agents ask about transactions: the last page against page 0, and searches by merchant. */
export async function measureFind(world: CardWorld): Promise<void> {
  const { bigUser: userId } = world;
  const find = (terms: object, currentPage = 0) =>
    findTransactions(keyContext(world, userId), { userId, ...terms, currentPage, pageSize: 10 });

  const { total } = await find(windowOf300);
  assert.ok(total > 290_000, `${total}`);
  const lastPage = Math.ceil(total / 10) - 1;
  const [first, last] = await takeTurns([() => find(windowOf300), () => find(windowOf300, lastPage)], 9);
  const pages = noteWorst(3);
  pages.note('bare', ratioOf(last!, first!), `${total} transactions, page ${lastPage}`);
  pages.print('last page / page 0 of a period, with totals');
  console.log(`page 0 of ${total}, with totals: ${median(first!).toFixed(1)} ms (no goal)`);

  const searches = noteWorst(1);
  for (const merchant of ['quetzal', 'cafe', 'subscription', 'o', 'nothing has this']) {
    for (const window of [{}, windowOf300]) {
      const { total, searchedFrom } = await find({ merchant, ...window });
      const [times] = await takeTurns([() => find({ merchant, ...window })], 9);
      const part = searchedFrom ? `, searched from ${searchedFrom.toISOString()}` : '';
      searches.note('bare', median(times!) / searchMsMax, `${merchant}: ${total} found${part}`);
      console.log(`${merchant}: ${total} found in ${median(times!).toFixed(1)} ms${part}`);
    }
  }
  searches.print(`a search by merchant / ${searchMsMax} ms`);
}
