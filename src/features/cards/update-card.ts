import { type Ctx, inTransaction } from '#context';
import { applyEvents } from './apply-events.ts';
import { type Asked, askForChange, type Call, type Done, recordTerms } from './ask-for-change.ts';
import { pick, readTerms, refuseIllegal, type Terms, toTerms, type WantedTerms } from './card-terms.ts';
import { cardErrors } from './errors.ts';
import { findRequest, keyRequest, noteAnswer, noteRequest } from './keyed-request.ts';
import { type CardRow, selectOwnCard } from './queries/cards.ts';
import { showCard } from './show-card.ts';

export interface CardChange extends WantedTerms {
  userId: string;
  cardId: string;
  cardIssuerUserId: string;
  /** Why: for the issuer and for the audit log. */
  reason?: string;
  idempotencyKey?: string;
}

export interface ChangedCard {
  /** As it is now. */
  card: CardRow;
  replayed: boolean;
}

/**
 * Changes a card at the issuer and returns its new state. We refuse what the card's state does not allow; if
 * our copy is behind, the issuer does. A change that is already made succeeds, because its answer may have
 * been lost. Under an idempotency key it is made once: a repeated request does not undo later changes by
 * others.
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
  // If it was asked before, it may have been done and the card changed since: only the issuer may refuse it.
  const asked = former?.asked ?? (await plan(ctx, { request, card, terms, reason }));
  const done = await askForChange(ctx, { request, card, asked });
  return inTransaction(ctx, (ctx) => store(ctx, { request, card, ...done }));
}

function plan(
  ctx: Ctx,
  { request, card, terms, reason }: Omit<Call, 'asked'> & { terms: Terms; reason: string | undefined },
): Promise<Asked> {
  refuseIllegal(card.status, terms);
  return noteRequest<Asked>(ctx, request, { terms, reason, before: pick(toTerms(card), terms) });
}

async function store(ctx: Ctx, call: Call & Done): Promise<ChangedCard> {
  const { request, card, asked, changed } = call;
  const { cardIssuerUserId, userId, id: cardId } = card;
  await applyEvents(ctx, [{ type: 'card.changed', data: changed }]);
  const isFirst = await noteAnswer(ctx, request, { asked, cardIds: [cardId] });
  const now = await selectOwnCard(ctx.db, { userId, cardId, cardIssuerUserId });
  const after = pick(changed, asked.terms);
  if (isFirst && JSON.stringify(after) !== JSON.stringify(asked.before)) await recordTerms(ctx, call, after);
  return { card: now!, replayed: !isFirst };
}
