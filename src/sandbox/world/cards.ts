import type { Ctx } from '#context';
import {
  type CardChange,
  catchUp,
  countPurchases,
  createCards,
  type NewCard,
  openAccount,
  updateCard,
} from '#features/cards';
import { configureRefill, listRefills, openRefills } from '#features/cards/refills';
import type { SandboxIssuer } from '../issuer/index.ts';
import type { SandboxFile } from '../sandbox-file.ts';
import { tellCardStory } from './card-story.ts';
import { demoUsers } from './people.ts';
import { daysBefore, storyDays } from './time.ts';

type Cards = SandboxFile['cards'];
type Card = Cards[keyof Cards];
const { id: userId } = demoUsers.owner;

/** When the chapters of the story begin, in days before today. */
const [first, second, third] = [storyDays - 8, 360, 90];

/**
 * The owner's cards: one of each status, on two accounts, with eighteen months of payments, and a rule that
 * refills the second account. What an earlier start has done is not repeated. Not within a transaction,
 * because the issuer is asked.
 */
export async function useCards(
  ctx: Ctx,
  bank: Pick<SandboxIssuer, 'setClock' | 'tellStory'>,
): Promise<Cards> {
  while ((await catchUp(ctx)).isBehind);
  const cards = await liveThrough(ctx, bank).finally(() => bank.setClock(0));
  while ((await catchUp(ctx)).isBehind);
  await refillTravel(ctx, cards.travel);
  return cards;
}

async function liveThrough(ctx: Ctx, bank: Pick<SandboxIssuer, 'setClock' | 'tellStory'>): Promise<Cards> {
  const at = async (days: number): Promise<Ctx> => {
    await bank.setClock(daysBefore(ctx.now, days).getTime() - Date.now());
    return { ...ctx, now: daysBefore(ctx.now, days) };
  };
  const tell = async (chapter: Parameters<typeof tellCardStory>[1]) => {
    const { cardId } = chapter.cards.at(-1)!;
    if ((await countPurchases(ctx.db, cardId)) === 0) await bank.tellStory(tellCardStory(ctx.now, chapter));
  };

  let then = await at(first);
  const active = await create(then, { nickname: 'Everyday', spendingLimit: '1500' });
  const canceled = await create(then, { nickname: 'First card', spendingLimit: '800' });
  for (const card of [active, canceled]) await change(then, card, { status: 'active' });
  const { cardIssuerUserId } = active;
  await tell({
    from: first - 1,
    to: second + 1,
    cardIssuerUserId,
    cards: [
      { cardId: active.id, purchases: 45 },
      { cardId: canceled.id, purchases: 20 },
    ],
    collateral: '420.00',
  });

  then = await at(second);
  await change(then, canceled, { status: 'canceled', reason: 'Replaced by another card' });
  await change(then, active, { spendingLimit: '2500' });
  const locked = await create(then, { nickname: 'Online', spendingLimit: '300', spendingInterval: 'weekly' });
  await change(then, locked, { status: 'active' });
  await tell({
    from: second - 1,
    to: third + 1,
    cardIssuerUserId,
    cards: [
      { cardId: active.id, purchases: 50 },
      { cardId: locked.id, purchases: 18 },
    ],
    collateral: '420.00',
  });

  then = await at(third);
  await change(then, locked, { status: 'locked', reason: 'Number seen on a strange website' });
  const inactive = await create(then, { nickname: 'Spare', spendingLimit: '100', spendingInterval: 'daily' });
  const away = await openAccount(then, { userId, idempotencyKey: 'demo travel' });
  const travel = await create(then, { nickname: 'Travel', spendingLimit: '4000', cardIssuerUserId: away.id });
  await change(then, travel, { status: 'active' });
  await tell({
    from: third - 1,
    to: 1,
    cardIssuerUserId: away.id,
    cards: [{ cardId: travel.id, purchases: 16, isAbroad: true }],
    collateral: '600.00',
  });
  await tell({
    from: third - 1,
    to: 1,
    cardIssuerUserId,
    cards: [{ cardId: active.id, purchases: 55 }],
    collateral: '420.00',
    isOpen: true,
  });
  return { active, locked, inactive, canceled, travel };
}

/** Under its nickname: creating it again returns the same card. */
async function create(ctx: Ctx, card: NewCard & { nickname: string }): Promise<Card> {
  const { cards } = await createCards(ctx, {
    userId,
    idempotencyKey: `demo ${card.nickname}`,
    cards: [card],
  });
  const { id, cardIssuerUserId } = cards[0]!;
  return { id, cardIssuerUserId };
}

async function change(
  ctx: Ctx,
  { id: cardId, cardIssuerUserId }: Card,
  terms: Pick<CardChange, 'status' | 'spendingLimit' | 'reason'>,
): Promise<void> {
  const idempotencyKey = `demo ${cardId} ${terms.status ?? terms.spendingLimit}`;
  await updateCard(ctx, { userId, cardId, cardIssuerUserId, idempotencyKey, ...terms });
}

/** The first refill ends because the rule was changed; the workers pay the second. */
async function refillTravel(ctx: Ctx, { cardIssuerUserId }: Card): Promise<void> {
  const rule = { cardIssuerUserId, threshold: '1000', network: 'polygon', currency: 'USDC', enabled: true };
  const { refills } = await listRefills(ctx, { userId, currentPage: 0, pageSize: 1 });
  if (refills.length > 0) return;
  await configureRefill(ctx, { ...rule, amount: '900' });
  await openRefills(ctx);
  await configureRefill(ctx, { ...rule, amount: '250' });
}
