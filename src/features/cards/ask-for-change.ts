import { type IssuerCard, IssuerFault } from '#adapters/issuer';
import type { Ctx } from '#context';
import { recordChange } from '#features/audit';
import { applyEvents } from './apply-events.ts';
import { asCardError, askIssuer } from './ask-issuer.ts';
import { differing, refuseIllegal, type Terms } from './card-terms.ts';
import { cardErrors } from './errors.ts';
import { forgetRefused, type KeyedRequest, nameAtIssuer, replaceRequest } from './keyed-request.ts';
import type { CardRow } from './queries/cards.ts';

/** What we ask of the issuer. */
export interface Asked {
  terms: Terms;
  /** The terms to ask for alone, if the issuer refused all of them together. */
  left?: Terms;
  reason?: string;
  /** The terms before the first request to the issuer. */
  before: Terms;
}

export interface Call {
  request: KeyedRequest;
  card: CardRow;
  asked: Asked;
}

export interface Done {
  /** The last request to the issuer. */
  asked: Asked;
  /** The card at the issuer after that request. */
  changed: IssuerCard;
}

/** Asks the issuer to change a card. If it refuses a part because that is done already, asks for the rest. */
export async function askForChange(ctx: Ctx, call: Call): Promise<Done> {
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
  // If asked for everything again, the issuer would repeat what is done and others have undone since.
  await replaceRequest(ctx, request, rest);
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
    // It may have been done, and a webhook may report it first: only here is it known who wanted it.
    if (error instanceof IssuerFault && error.reason === 'unavailable') {
      await recordTerms(ctx, call, { ...terms, outcome: 'unknown' });
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

/** Of what was asked for alone: what else is new about the card, others have done. */
export function recordTerms(
  ctx: Ctx,
  { card, asked: { before, reason } }: Call,
  after: object,
): Promise<void> {
  return recordChange(ctx, {
    action: 'cards.update',
    subject: `card:${card.id}`,
    before,
    after: { ...after, ...(reason !== undefined && { reason }) },
  });
}
