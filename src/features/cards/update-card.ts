import { type CardStatus, type IssuerCard, IssuerFault, type SpendingInterval } from '#adapters/issuer';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { formatCents } from '#platform/values/money';
import { readLimit } from './amounts.ts';
import { applyEvents } from './apply-events.ts';
import { asCardError, askIssuer } from './ask-issuer.ts';
import { cardErrors } from './errors.ts';
import {
  findRequest,
  forgetRefused,
  type KeyedRequest,
  keyRequest,
  nameAtIssuer,
  noteAnswer,
  noteRequest,
  renoteRequest,
} from './keyed-request.ts';
import { type CardRow, selectOwnCard } from './queries/cards.ts';
import { showCard } from './show-card.ts';
import { cardMoves } from './states.ts';

export interface CardChange {
  userId: string;
  cardId: string;
  cardIssuerUserId: string;
  /** Null takes it off. */
  nickname?: string | null;
  status?: CardStatus;
  /** US dollars, as a decimal string. */
  spendingLimit?: string;
  spendingInterval?: SpendingInterval;
  /** Why: for the issuer and for the audit log. */
  reason?: string;
  idempotencyKey?: string;
}

export interface ChangedCard {
  /** As it is now. */
  card: CardRow;
  replayed: boolean;
}

/** Of an issuer's card: what a change may be about. */
type Terms = Partial<Pick<IssuerCard, 'nickname' | 'status' | 'spendingLimit' | 'spendingInterval'>>;

/**
 * Changes a card at the issuer and gives it as it then is. What the card's state does not allow is refused before the issuer is
 * asked; where our knowledge was behind, by the issuer. A change that is there already is no fault: its answer may have been lost.
 * Under an idempotency key it is made once: repeated, it does not undo what others have done to the card since.
 */
export async function updateCard(ctx: Ctx, change: CardChange): Promise<ChangedCard> {
  const terms = readTerms(change);
  if (Object.keys(terms).length === 0) throw cardErrors.nothingToChange();
  const card = await showCard(ctx, change);
  const { cardId, cardIssuerUserId, reason } = change;
  const request = keyRequest(ctx, change, ['update', cardId, cardIssuerUserId, terms, reason ?? null]);
  const former = await findRequest<Asked>(ctx, request);
  // Read again: it may have been changed by the very request that was found.
  if (former?.cardIds) return { card: await showCard(ctx, change), replayed: true };
  // Asked before, it may have been done, and the card's state be a later one: only the issuer knows whether it is refused.
  const asked = former?.asked ?? (await plan(ctx, { request, card, terms, reason }));
  const done = await ask(ctx, { request, card, asked });
  return inTransaction(ctx, (ctx) => store(ctx, { request, card, ...done }));
}

/** What the issuer is asked. */
interface Asked {
  terms: Terms;
  /** Of these, what alone is asked for, where the issuer refused all of them together. */
  left?: Terms;
  reason?: string;
  /** What they were before anybody was asked. */
  before: Terms;
}

interface Call {
  request: KeyedRequest;
  card: CardRow;
  asked: Asked;
}

function plan(
  ctx: Ctx,
  { request, card, terms, reason }: Omit<Call, 'asked'> & { terms: Terms; reason: string | undefined },
): Promise<Asked> {
  refuseIllegal(card.status, terms);
  return noteRequest<Asked>(ctx, request, { terms, reason, before: pick(toTerms(card), terms) });
}

function readTerms({ nickname, status, spendingLimit, spendingInterval }: CardChange): Terms {
  return {
    ...(nickname !== undefined && { nickname: nickname?.trim() || null }),
    ...(status !== undefined && { status }),
    ...(spendingLimit !== undefined && {
      spendingLimit: formatCents(readLimit('spendingLimit', spendingLimit)),
    }),
    ...(spendingInterval !== undefined && { spendingInterval }),
  };
}

function refuseIllegal(from: CardStatus, { status: to, ...others }: Terms): void {
  const isMove = to !== undefined && to !== from;
  if (isMove && !cardMoves[from].includes(to)) throw illegalMove(from, to);
  if (from === 'canceled' && Object.keys(others).length > 0) throw cardErrors.cardCanceled();
}

function illegalMove(from: CardStatus, to: CardStatus) {
  const legal = cardMoves[from];
  const message =
    legal.length === 0
      ? `A card that is ${from} does not become ${to}: ${from} is final`
      : `A card that is ${from} does not become ${to}, only ${legal.join(' or ')}`;
  return cardErrors.illegalCardMove({ message, details: [{ field: 'status', message }] });
}

interface Done {
  /** What it was asked at last. */
  asked: Asked;
  /** The card as the issuer then had it. */
  changed: IssuerCard;
}

async function ask(ctx: Ctx, call: Call): Promise<Done> {
  try {
    return await askAllOrRest(ctx, call);
  } catch (error) {
    await forgetRefused(ctx, call.request, error);
    throw error;
  }
}

async function askAllOrRest(ctx: Ctx, call: Call): Promise<Done> {
  try {
    return { asked: call.asked, changed: await update(ctx, call) };
  } catch (error) {
    if (error instanceof IssuerFault && error.reason === 'refused') return askRest(ctx, call, error);
    throw asChangeError(error);
  }
}

/** Refused for a part that is done already, or for a reason of the issuer's own, which it then says again. */
async function askRest(ctx: Ctx, call: Call, cause: IssuerFault): Promise<Done> {
  const { asked, card, request } = call;
  const current = await askIssuer(ctx.issuer.readCard(card.id));
  if (!current) throw cardErrors.cardNotFound({ cause });
  await applyEvents(ctx, [{ type: 'card.changed', data: current }]);
  const left = differing(current, asked.left ?? asked.terms);
  if (Object.keys(left).length === 0) return { asked, changed: current };
  refuseIllegal(current.status, left);
  const rest = { ...asked, left };
  // Asked for all of it once more, the issuer would do again what was done already and others have undone since.
  await renoteRequest(ctx, request, rest);
  try {
    return { asked: rest, changed: await update(ctx, { ...call, asked: rest }) };
  } catch (error) {
    throw asChangeError(error);
  }
}

async function update(ctx: Ctx, call: Call): Promise<IssuerCard> {
  const { request, card, asked } = call;
  const { terms, left = terms, reason } = asked;
  const idempotencyKey = nameAtIssuer('card-change', request, JSON.stringify(left));
  try {
    return await ctx.issuer.updateCard({ cardId: card.id, ...left, reason, idempotencyKey });
  } catch (error) {
    // It may have been done, and then a webhook tells it before anybody asks again: who wanted it is known only here.
    if (error instanceof IssuerFault && error.reason === 'unavailable') {
      await record(ctx, call, { ...terms, outcome: 'unknown' });
    }
    throw error;
  }
}

const asChangeError = (error: unknown) =>
  asCardError(error, {
    unavailable: (options) => cardErrors.issuerUnavailable({ ...options, message: unknownOutcome }),
  });

const unknownOutcome =
  'The card issuer does not answer, so whether the card was changed is not known: repeat the request under the same idempotencyKey, or look at the card first where it had none';

const differing = (card: IssuerCard, terms: Terms): Terms =>
  Object.fromEntries(Object.entries(terms).filter(([name, value]) => card[name as keyof Terms] !== value));

async function store(ctx: Ctx, call: Call & Done): Promise<ChangedCard> {
  const { request, card, asked, changed } = call;
  const { cardIssuerUserId, userId, id: cardId } = card;
  await applyEvents(ctx, [{ type: 'card.changed', data: changed }]);
  const isFirst = await noteAnswer(ctx, request, { asked, cardIds: [cardId] });
  const now = await selectOwnCard(ctx.db, { userId, cardId, cardIssuerUserId });
  const after = pick(changed, asked.terms);
  if (isFirst && JSON.stringify(after) !== JSON.stringify(asked.before)) await record(ctx, call, after);
  return { card: now!, replayed: !isFirst };
}

/** Of what was asked for alone: what else is new about the card, others have done. */
function record(ctx: Ctx, { card, asked: { before, reason } }: Call, after: object): Promise<void> {
  return recordChange(ctx, {
    action: 'cards.update',
    subject: `card:${card.id}`,
    before,
    after: { ...after, ...(reason !== undefined && { reason }) },
  });
}

const toTerms = (card: CardRow): Required<Terms> => ({
  nickname: card.nickname,
  status: card.status,
  spendingInterval: card.spendingInterval,
  spendingLimit: formatCents(card.spendingLimit),
});

const pick = (card: Required<Terms>, terms: Terms): Terms =>
  Object.fromEntries(Object.keys(terms).map((name) => [name, card[name as keyof Terms]]));
