import { randomUUID } from 'node:crypto';
import { recordChange } from '../audit/index.ts';
import { type Ctx, inTransaction } from '../context.ts';
import { type CardStatus, type IssuerCard, IssuerFault, type SpendingInterval } from '../issuer/index.ts';
import { formatCents, readLimit } from './amounts.ts';
import { applyEvents } from './apply-events.ts';
import { asCardError, askIssuer } from './ask-issuer.ts';
import { cardErrors } from './errors.ts';
import { type CardRow, selectOwnCard } from './queries.ts';
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
}

/** Of an issuer's card: what a change may be about. */
type Terms = Partial<Pick<IssuerCard, 'nickname' | 'status' | 'spendingLimit' | 'spendingInterval'>>;

/**
 * Changes a card at the issuer and gives it as it then is. What the card's state does not allow is refused before the issuer is
 * asked; where our knowledge was behind, by the issuer. A change that is there already is no fault: its answer may have been lost.
 */
export async function updateCard(ctx: Ctx, change: CardChange): Promise<CardRow> {
  const terms = readTerms(change);
  if (Object.keys(terms).length === 0) throw cardErrors.nothingToChange();
  const card = await showCard(ctx, change);
  refuseIllegal(card.status, terms);
  const asked = { card, terms, reason: change.reason };
  const changed = await ask(ctx, asked);
  return inTransaction(ctx, (ctx) => store(ctx, asked, changed));
}

interface Asked {
  card: CardRow;
  terms: Terms;
  reason: string | undefined;
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

/** The card as the issuer then has it. */
async function ask(ctx: Ctx, asked: Asked): Promise<IssuerCard> {
  const { card, terms, reason } = asked;
  const update = (terms: Terms) =>
    ctx.issuer.updateCard({ cardId: card.id, ...terms, reason, idempotencyKey: randomUUID() });
  try {
    return await update(terms);
  } catch (error) {
    if (!(error instanceof IssuerFault)) throw error;
    // It may have been done, and then a webhook tells it before anybody asks again: who wanted it is known only here.
    if (error.reason === 'unavailable') await record(ctx, asked, { ...terms, outcome: 'unknown' });
    if (error.reason !== 'refused') throw asCardError(error);
    const current = await askIssuer(ctx.issuer.readCard(card.id));
    if (!current) throw cardErrors.cardNotFound({ cause: error });
    await applyEvents(ctx, [{ type: 'card.changed', data: current }]);
    const left = differing(current, terms);
    if (Object.keys(left).length === 0) return current;
    refuseIllegal(current.status, left);
    // Refused for a part that is done already, or for a reason of the issuer's own, which it then says again.
    return askIssuer(update(left));
  }
}

const differing = (card: IssuerCard, terms: Terms): Terms =>
  Object.fromEntries(Object.entries(terms).filter(([name, value]) => card[name as keyof Terms] !== value));

async function store(ctx: Ctx, asked: Asked, changed: IssuerCard): Promise<CardRow> {
  const { cardIssuerUserId, userId, id: cardId } = asked.card;
  await applyEvents(ctx, [{ type: 'card.changed', data: changed }]);
  const after = await selectOwnCard(ctx.db, { userId, cardId, cardIssuerUserId });
  const done = pick(changed, asked.terms);
  if (JSON.stringify(done) !== JSON.stringify(pick(toTerms(asked.card), asked.terms)))
    await record(ctx, asked, done);
  return after!;
}

/** Of what was asked for alone: what else is new about the card, others have done. */
function record(ctx: Ctx, { card, terms, reason }: Asked, after: object): Promise<void> {
  return recordChange(ctx, {
    action: 'cards.update',
    subject: `card:${card.id}`,
    before: pick(toTerms(card), terms),
    after: { ...after, ...(reason !== undefined && { reason }) },
  });
}

const toTerms = (card: CardRow): Required<Terms> => ({
  ...{ nickname: card.nickname, status: card.status, spendingInterval: card.spendingInterval },
  spendingLimit: formatCents(card.spendingLimit),
});

const pick = (card: Required<Terms>, terms: Terms): Terms =>
  Object.fromEntries(Object.keys(terms).map((name) => [name, card[name as keyof Terms]]));
