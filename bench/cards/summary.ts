import { findTransactions } from '../../src/features/cards/lists/find-transactions.ts';
import { listCardTransactions } from '../../src/features/cards/lists/list-card-transactions.ts';
import { listCards } from '../../src/features/cards/lists/list-cards.ts';
import { listMovementsByAccount } from '../../src/features/cards/lists/list-movements-by-account.ts';
import { median, ratioOf, takeTurns } from '../measure.ts';
import { lastDay } from './seed.ts';
import { type CardWorld, keyContext } from './world.ts';

/**
 * Printed without a goal, so that a change is seen. Of ten cards two each have a limit by day, week and so
 * on.
 */
export async function measureSummary(world: CardWorld): Promise<void> {
  const { bigUser: userId } = world;
  const ctx = keyContext(world, userId);
  const page = { userId, currentPage: 0, pageSize: 10 };
  const card = { cardId: `card-1-${userId}`, cardIssuerUserId: `account-${userId}` };
  const calls = {
    'page 0 of transactions': () => listCardTransactions(ctx, page),
    'cards with what is left of their limits': () =>
      listCards(ctx, { ...page, asOf: new Date(lastDay - 1), status: 'all' }),
    'transactions of a card': () => findTransactions(ctx, { ...page, ...card }),
    'pending ones of a card': () => findTransactions(ctx, { ...page, ...card, status: 'pending' }),
    'movements by account': () => listMovementsByAccount(ctx, page),
  };
  const [first, ...others] = await takeTurns(Object.values(calls));
  for (const [n, times] of others.entries()) {
    const ratio = ratioOf(times, first!).toFixed(2);
    console.log(
      `${Object.keys(calls)[n + 1]} / page 0, bare: ${ratio} (${median(times).toFixed(2)} ms; no goal)`,
    );
  }
}
