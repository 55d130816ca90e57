import type { IssuerCard, NewCards, SpendingInterval } from '#adapters/issuer';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { selectHolder, userErrors } from '#features/users';
import { formatCents } from '#platform/values/money';
import { readLimit } from './amounts.ts';
import { applyEvents } from './apply-events.ts';
import { askIssuer } from './ask-issuer.ts';
import { cardErrors } from './errors.ts';
import { isOwn } from './is-own.ts';
import {
  findRequest,
  forgetRefused,
  type KeyedRequest,
  keyRequest,
  nameAtIssuer,
  noteAnswer,
  noteRequest,
} from './keyed-request.ts';
import { oldestAccount } from './open-account.ts';
import { selectAccounts } from './queries/accounts.ts';
import { type CardRow, selectCards } from './queries/cards.ts';

export interface NewCard {
  nickname?: string | null;
  /** US dollars, as a decimal string. */
  spendingLimit: string;
  /** `monthly` where it is left out. */
  spendingInterval?: SpendingInterval;
  /** The user's oldest account where it is left out. */
  cardIssuerUserId?: string;
}

export interface NewCardsRequest {
  userId: string;
  cards: readonly NewCard[];
  idempotencyKey?: string;
}

export interface CreatedCards {
  /** In the order of the request, in their current state. */
  cards: CardRow[];
  replayed: boolean;
}

/**
 * Creates cards of one account at the issuer, all or none; under an idempotency key once. A refused request
 * does not use its key up.
 */
export async function createCards(ctx: Ctx, request: NewCardsRequest): Promise<CreatedCards> {
  const wanted = readRequest(ctx, request);
  const { userId } = wanted;
  if (!isOwn(ctx, userId)) throw userErrors.userNotFound();
  const former = await findRequest<Asked>(ctx, wanted);
  if (former?.cardIds) {
    return { cards: await selectCards(ctx.db, { userId, cardIds: former.cardIds }), replayed: true };
  }
  const asked = former?.asked ?? (await plan(ctx, wanted));
  const made = await ask(ctx, wanted, { ...asked, idempotencyKey: nameAtIssuer('cards', wanted) });
  return inTransaction(ctx, (ctx) => store(ctx, wanted, asked, made));
}

interface WantedCard {
  nickname: string | null;
  spendingLimit: bigint;
  spendingInterval: SpendingInterval;
  cardIssuerUserId: string | undefined;
}

interface Wanted extends KeyedRequest {
  cards: WantedCard[];
}

type Asked = Omit<NewCards, 'idempotencyKey'>;

function readRequest(ctx: Ctx, { userId, cards, idempotencyKey }: NewCardsRequest): Wanted {
  const wanted = cards.map(({ nickname, spendingLimit, spendingInterval, cardIssuerUserId }, at) => ({
    nickname: nickname?.trim() || null,
    spendingLimit: readLimit(`cards.${at}.spendingLimit`, spendingLimit),
    spendingInterval: spendingInterval ?? 'monthly',
    cardIssuerUserId,
  }));
  const facts = wanted.map(({ nickname, spendingLimit, spendingInterval, cardIssuerUserId }) => [
    nickname,
    String(spendingLimit),
    spendingInterval,
    cardIssuerUserId ?? null,
  ]);
  return { ...keyRequest(ctx, { userId: userId.toLowerCase(), idempotencyKey }, facts), cards: wanted };
}

async function plan(ctx: Ctx, wanted: Wanted): Promise<Asked> {
  const name = await selectHolder(ctx.db, wanted.userId);
  if (name === undefined) throw userErrors.userNotFound();
  return noteRequest<Asked>(ctx, wanted, {
    cardIssuerUserId: await chooseAccount(ctx, wanted),
    cards: wanted.cards.map(({ nickname, spendingLimit, spendingInterval }) => ({
      name,
      nickname,
      spendingLimit: formatCents(spendingLimit),
      spendingInterval,
    })),
  });
}

async function chooseAccount(ctx: Ctx, { userId, cards }: Wanted): Promise<string> {
  const named = new Set(cards.map(({ cardIssuerUserId }) => cardIssuerUserId));
  const own = await selectAccounts(ctx.db, userId);
  for (const id of named) {
    if (id !== undefined && !own.some((account) => account.id === id)) throw cardErrors.cardAccountNotFound();
  }
  if (named.delete(undefined)) named.add((await oldestAccount(ctx, userId)).id);
  const [chosen, ...others] = named;
  if (others.length > 0) throw cardErrors.severalAccounts();
  return chosen!;
}

async function ask(ctx: Ctx, wanted: Wanted, request: NewCards): Promise<IssuerCard[]> {
  try {
    return await askIssuer(ctx.issuer.createCards(request), {
      'not-found': cardErrors.cardAccountNotFound,
      unavailable: (options) => cardErrors.issuerUnavailable({ ...options, message: unknownOutcome }),
    });
  } catch (error) {
    await forgetRefused(ctx, wanted, error);
    throw error;
  }
}

const unknownOutcome =
  'The card issuer does not answer, so whether the cards were made is not known: repeat the request under the same idempotencyKey, or look first where it had none';

async function store(ctx: Ctx, wanted: Wanted, asked: Asked, made: IssuerCard[]): Promise<CreatedCards> {
  const { userId } = wanted;
  await applyEvents(
    ctx,
    made.map((data) => ({ type: 'card.changed', data })),
  );
  const cardIds = made.map(({ id }) => id);
  const isFirst = await noteAnswer(ctx, wanted, { asked, cardIds });
  const cards = await selectCards(ctx.db, { userId, cardIds });
  if (cards.length !== made.length) throw new Error('the issuer made cards under ids of somebody else’s');
  if (isFirst) {
    await recordChange(ctx, {
      action: 'cards.create',
      subject: `user:${userId}`,
      after: {
        cardIssuerUserId: asked.cardIssuerUserId,
        cards: made.map(({ id, nickname, spendingLimit, spendingInterval }) => ({
          id,
          nickname,
          spendingLimit,
          spendingInterval,
        })),
      },
    });
  }
  return { cards, replayed: !isFirst };
}
