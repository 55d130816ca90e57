import { type EncryptedSecrets, IssuerFault } from '#adapters/issuer';
import { type Ctx, inTransaction, type KeyActor } from '#context';
import { recordChange } from '#features/audit';
import { hourMs } from '#platform/values/duration';
import { asCardError } from './ask-issuer.ts';
import { cardErrors } from './errors.ts';
import { deleteReveal, insertReveal, lockReveals, selectReveals } from './queries/reveals.ts';
import { showCard } from './show-card.ts';

export interface CardReveal {
  userId: string;
  cardId: string;
  cardIssuerUserId: string;
  /** The caller's key, wrapped for the issuer: to us it is text that is passed on and kept nowhere. */
  sessionId: string;
}

const revealsMax = 10;
export const windowMs = hourMs;

/**
 * A card's number and code, encrypted by the issuer under the caller's key: at most ten in any hour for each
 * user, and none without an audit row.
 */
export async function revealCard(ctx: Ctx<KeyActor>, request: CardReveal): Promise<EncryptedSecrets> {
  // A place among the ten is taken before the issuer is asked, and given back only if no answer came: then
  // nothing was revealed.
  const { userId, cardId, cardIssuerUserId, sessionId } = request;
  const { status } = await showCard(ctx, { userId, cardId, cardIssuerUserId });
  if (status === 'canceled') throw cardErrors.cardCanceled();
  const revealId = await takePlace(ctx, { userId, cardId });
  try {
    const secrets = await ctx.issuer.reveal({ cardId, cardIssuerUserId, sessionId });
    await conclude(ctx, request, { revealId, outcome: 'revealed' });
    return secrets;
  } catch (error) {
    if (!(error instanceof IssuerFault)) throw error;
    await conclude(ctx, request, { revealId, outcome: error.reason });
    throw asCardError(error, { refused: cardErrors.revealNotAllowed });
  }
}

function takePlace(ctx: Ctx<KeyActor>, card: { userId: string; cardId: string }): Promise<bigint> {
  const { now, actor } = ctx;
  return inTransaction(ctx, async ({ db }) => {
    await lockReveals(db, card.userId);
    const after = new Date(now.getTime() - windowMs);
    const recent = await selectReveals(db, { userId: card.userId, after, limit: revealsMax });
    if (recent.length === revealsMax) {
      const freeMs = recent.at(-1)!.getTime() - after.getTime();
      const headers = { 'retry-after': String(Math.max(1, Math.ceil(freeMs / 1000))) };
      throw cardErrors.revealLimitExceeded({ headers });
    }
    return insertReveal(db, { ...card, keyId: actor.keyId, now });
  });
}

/** That it was asked and how it ended; never what was sent or answered. */
function conclude(
  ctx: Ctx<KeyActor>,
  { userId, cardId }: CardReveal,
  { revealId, outcome }: { revealId: bigint; outcome: string },
): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    if (outcome === 'unavailable') await deleteReveal(ctx.db, revealId);
    await recordChange(ctx, {
      action: 'cards.reveal',
      subject: `card:${cardId}`,
      after: { userId, outcome },
    });
  });
}
