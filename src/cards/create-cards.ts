import { createHash, randomUUID } from 'node:crypto';
import { recordChange } from '../audit/index.ts';
import { type Ctx, inTransaction } from '../context.ts';
import type { IssuerCard, NewCards, SpendingInterval } from '../issuer/index.ts';
import { Refusal } from '../platform/errors.ts';
import { selectHolder, userErrors } from '../users/index.ts';
import { formatCents, readLimit } from './amounts.ts';
import { applyEvents } from './apply-events.ts';
import { askIssuer, issuerKey } from './ask-issuer.ts';
import { cardErrors } from './errors.ts';
import { isOwn } from './is-own.ts';
import { oldestAccount } from './open-account.ts';
import {
  type CardRow,
  deleteUnansweredRequest,
  insertRequest,
  selectAccounts,
  selectCards,
  selectRequest,
  upsertAnswer,
} from './queries.ts';

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
  /** In the order of the request, as they are now. */
  cards: CardRow[];
  replayed: boolean;
}

/**
 * Makes cards of one account at the issuer, all or none. Under an idempotency key they are made once: what was asked is stored
 * before the issuer is, so whoever repeats it, after whatever crash, asks the issuer the very same under the very same name. A
 * request that is refused does not use its key up.
 */
export async function createCards(ctx: Ctx, request: NewCardsRequest): Promise<CreatedCards> {
  const wanted = {
    ...{ ...readRequest(request), userId: request.userId.toLowerCase() },
    idempotencyKey: request.idempotencyKey && `${callerOf(ctx)} ${request.idempotencyKey}`,
  };
  const { userId, idempotencyKey } = wanted;
  if (!isOwn(ctx, userId)) throw userErrors.userNotFound();
  const former = await findRequest(ctx, wanted);
  if (former?.cardIds) {
    return { cards: await selectCards(ctx.db, { userId, cardIds: former.cardIds }), replayed: true };
  }
  const asked = former?.asked ?? (await plan(ctx, wanted));
  const name = issuerKey('cards', userId, idempotencyKey ?? randomUUID(), wanted.fingerprint.toString('hex'));
  const made = await ask(ctx, wanted, { ...asked, idempotencyKey: name });
  return inTransaction(ctx, (ctx) => store(ctx, wanted, asked, made));
}

interface WantedCard {
  nickname: string | null;
  spendingLimit: bigint;
  spendingInterval: SpendingInterval;
  cardIssuerUserId: string | undefined;
}

interface Wanted {
  userId: string;
  cards: WantedCard[];
  idempotencyKey: string | undefined;
  /** What makes two requests the same: what they ask for, with defaults filled in, not how it was spelled. */
  fingerprint: Buffer;
}

type Asked = Omit<NewCards, 'idempotencyKey'>;

/** Two who act for one user do not know of each other's keys. */
const callerOf = ({ actor }: Ctx) => (actor.kind === 'key' ? actor.partnerId : actor.kind);

function readRequest({ cards }: NewCardsRequest): Omit<Wanted, 'userId' | 'idempotencyKey'> {
  const wanted = cards.map(({ nickname, spendingLimit, spendingInterval, cardIssuerUserId }, at) => ({
    nickname: nickname?.trim() || null,
    spendingLimit: readLimit(`cards.${at}.spendingLimit`, spendingLimit),
    ...{ spendingInterval: spendingInterval ?? 'monthly', cardIssuerUserId },
  }));
  const facts = wanted.map(({ nickname, spendingLimit, spendingInterval, cardIssuerUserId }) => [
    ...[nickname, String(spendingLimit), spendingInterval, cardIssuerUserId ?? null],
  ]);
  const fingerprint = createHash('sha256').update(JSON.stringify(facts)).digest();
  return { cards: wanted, fingerprint };
}

async function findRequest(ctx: Ctx, { userId, idempotencyKey, fingerprint }: Wanted) {
  if (idempotencyKey === undefined) return undefined;
  const former = await selectRequest(ctx.db, { userId, idempotencyKey });
  if (!former) return undefined;
  if (!former.fingerprint.equals(fingerprint)) throw cardErrors.idempotencyKeyReused();
  return { cardIds: former.cardIds, asked: former.asked as Asked };
}

/** What the issuer is asked, noted first where the caller may ask again. */
async function plan(ctx: Ctx, wanted: Wanted): Promise<Asked> {
  const { userId, idempotencyKey, fingerprint } = wanted;
  const name = await selectHolder(ctx.db, userId);
  if (name === undefined) throw userErrors.userNotFound();
  const asked: Asked = {
    cardIssuerUserId: await chooseAccount(ctx, wanted),
    cards: wanted.cards.map(({ nickname, spendingLimit, spendingInterval }) => ({
      ...{ name, nickname, spendingLimit: formatCents(spendingLimit), spendingInterval },
    })),
  };
  if (idempotencyKey === undefined) return asked;
  await insertRequest(ctx.db, { userId, idempotencyKey, fingerprint, asked, now: ctx.now });
  // Whoever was first has decided what is asked.
  return (await findRequest(ctx, wanted))?.asked ?? asked;
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

async function ask(ctx: Ctx, { userId, idempotencyKey }: Wanted, request: NewCards): Promise<IssuerCard[]> {
  try {
    return await askIssuer(ctx.issuer.createCards(request), {
      'not-found': cardErrors.cardAccountNotFound,
      unavailable: (options) => cardErrors.issuerUnavailable({ ...options, message: unknownOutcome }),
    });
  } catch (error) {
    const isRefused = error instanceof Refusal && error.status < 500;
    if (isRefused && idempotencyKey !== undefined) {
      await deleteUnansweredRequest(ctx.db, { userId, idempotencyKey });
    }
    throw error;
  }
}

const unknownOutcome =
  'The card issuer does not answer, so whether the cards were made is not known: repeat the request under the same idempotencyKey, or look first where it had none';

async function store(ctx: Ctx, wanted: Wanted, asked: Asked, made: IssuerCard[]): Promise<CreatedCards> {
  const { userId, idempotencyKey, fingerprint } = wanted;
  await applyEvents(
    ctx,
    made.map((data) => ({ type: 'card.changed', data })),
  );
  const cardIds = made.map(({ id }) => id);
  const isFirst =
    idempotencyKey === undefined ||
    (await upsertAnswer(ctx.db, { userId, idempotencyKey, fingerprint, asked, cardIds, now: ctx.now })) ||
    // Another request, once refused and then repeated, may have taken the key meanwhile: these cards were made all the same.
    !(await selectRequest(ctx.db, { userId, idempotencyKey }))?.fingerprint.equals(fingerprint);
  const cards = await selectCards(ctx.db, { userId, cardIds });
  if (cards.length !== made.length) throw new Error('the issuer made cards under ids of somebody else’s');
  if (isFirst) {
    await recordChange(ctx, {
      action: 'cards.create',
      subject: `user:${userId}`,
      after: {
        cardIssuerUserId: asked.cardIssuerUserId,
        cards: made.map(({ id, nickname, spendingLimit, spendingInterval }) => ({
          ...{ id, nickname, spendingLimit, spendingInterval },
        })),
      },
    });
  }
  return { cards, replayed: !isFirst };
}
