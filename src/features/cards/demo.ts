import { noIssuer, type Simulation } from '#adapters/issuer';
import type { Ctx } from '#context';
import { demoUsers } from '#features/users';
import { catchUp } from './catch-up.ts';
import { createCards } from './create-cards.ts';
import { selectAccount } from './queries/accounts.ts';
import { countPurchases } from './queries/cards.ts';
import { simulateActivity } from './simulate-activity.ts';
import { updateCard } from './update-card.ts';

type Purchase = Omit<Simulation & { kind: 'authorization' | 'decline' }, 'kind' | 'cardId'>;

const purchases: readonly (Purchase & { ends: 'settled' | 'refunded' | 'pending' | 'declined' })[] = [
  { ends: 'settled', merchantName: 'Padaria São João', amount: '6.40', merchantCategory: 'Bakeries' },
  {
    ends: 'settled',
    merchantName: 'Metro de Lisboa',
    amount: '1.98',
    merchantCategory: 'Transport',
    merchantCountry: 'PT',
    localAmount: '1.80',
    localCurrency: 'EUR',
  },
  { ends: 'refunded', merchantName: 'Livraria Central', amount: '42.75', description: 'Order 1177' },
  { ends: 'pending', merchantName: 'Grand Hotel Atlântico', amount: '189.00', merchantCountry: 'PT' },
  { ends: 'declined', merchantName: 'Electronics Outlet', amount: '1999.00' },
];

/**
 * An active card of the sandbox's owner, with collateral and a few payments; what an earlier start has done
 * is not repeated. Not within a transaction, because the issuer is asked.
 */
export async function seedCards(ctx: Ctx): Promise<void> {
  if (ctx.issuer === noIssuer) return;
  while ((await catchUp(ctx)).isBehind);
  const { cards } = await createCards(ctx, {
    userId: demoUsers.owner.id,
    idempotencyKey: 'demo',
    cards: [{ nickname: 'Everyday', spendingLimit: '2500' }],
  });
  const { id: cardId, cardIssuerUserId, userId, status } = cards[0]!;
  if (status === 'inactive') await updateCard(ctx, { userId, cardId, cardIssuerUserId, status: 'active' });
  const account = await selectAccount(ctx.db, cardIssuerUserId);
  if (account?.lastSequence === 0) {
    await simulateActivity(ctx, { kind: 'collateral-deposit', cardIssuerUserId, amount: '1000' });
  }
  for (const purchase of purchases.slice(await countPurchases(ctx.db, cardId)))
    await pay(ctx, cardId, purchase);
}

async function pay(ctx: Ctx, cardId: string, purchase: (typeof purchases)[number]): Promise<void> {
  const { ends, ...terms } = purchase;
  const kind = ends === 'declined' ? 'decline' : 'authorization';
  const { events } = await simulateActivity(ctx, { kind, cardId, ...terms });
  const transactionId = events.find((event) => event.type === 'transaction.changed')?.data.id;
  if (transactionId === undefined || ends === 'pending' || ends === 'declined') return;
  await simulateActivity(ctx, { kind: 'settlement', transactionId });
  if (ends === 'refunded') await simulateActivity(ctx, { kind: 'refund', transactionId });
}
