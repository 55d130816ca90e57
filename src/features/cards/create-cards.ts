import type { IssuerCard, NewCards, SpendingInterval } from '#adapters/issuer';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { selectHolder, userErrors } from '#features/users';
import { dayMs } from '#platform/values/duration';
import { formatCents } from '#platform/values/money';
import { activateCards } from './activate-cards.ts';
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
import { type CardRow, selectCards, selectNamesakes } from './queries/cards.ts';

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
  /** Makes them active; otherwise new cards are inactive. */
  activate?: boolean;
  idempotencyKey?: string;
}

export interface CreatedCards {
  /** In the order of the request, in their current state. */
  cards: CardRow[];
  replayed: boolean;
  /** Other cards of the same names that were made in the last day, so perhaps by the same wish. */
  namesakes: CardRow[];
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
    const cards = await selectCards(ctx.db, { userId, cardIds: former.cardIds });
    return { cards, replayed: true, namesakes: [] };
  }
  const asked = former?.asked ?? (await plan(ctx, wanted));
  const made = await ask(ctx, wanted, { ...asked, idempotencyKey: nameAtIssuer('cards', wanted) });
  const activated = wanted.activate ? await activateCards(ctx, wanted, made) : [];
  return inTransaction(ctx, (ctx) => store(ctx, wanted, asked, { made, activated }));
}

interface WantedCard {
  nickname: string | null;
  spendingLimit: bigint;
  spendingInterval: SpendingInterval;
  cardIssuerUserId: string | undefined;
}

interface Wanted extends KeyedRequest {
  cards: WantedCard[];
  activate: boolean;
}

interface Made {
  /** In the order of the request. */
  made: IssuerCard[];
  /** Those of them that are active, as they are then. */
  activated: IssuerCard[];
}

type Asked = Omit<NewCards, 'idempotencyKey'>;

function readRequest(ctx: Ctx, request: NewCardsRequest): Wanted {
  const { userId, cards, activate = false, idempotencyKey } = request;
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
  // Requests from before there was an activation keep their fingerprints.
  const keyed = keyRequest(
    ctx,
    { userId: userId.toLowerCase(), idempotencyKey },
    activate ? [...facts, 'activate'] : facts,
  );
  return { ...keyed, cards: wanted, activate };
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

/** An owner who asks twice for the same card does so within a day. */
const namesakeMs = dayMs;

async function store(
  ctx: Ctx,
  wanted: Wanted,
  asked: Asked,
  { made, activated }: Made,
): Promise<CreatedCards> {
  const { userId } = wanted;
  await applyEvents(
    ctx,
    [...made, ...activated].map((data) => ({ type: 'card.changed', data })),
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
        ...(wanted.activate && { activated: activated.map(({ id }) => id) }),
      },
    });
  }
  const since = new Date(ctx.now.getTime() - namesakeMs);
  const namesakes = isFirst ? await selectNamesakes(ctx.db, { userId, cardIds, since }) : [];
  return { cards, replayed: !isFirst, namesakes };
}
