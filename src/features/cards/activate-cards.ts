import { type IssuerCard, IssuerFault } from '#adapters/issuer';
import type { Ctx } from '#context';
import { type KeyedRequest, nameAtIssuer } from './keyed-request.ts';

/**
 * Asks the issuer to activate cards that were just made for a request; returns those that it activated. The
 * others exist and stay inactive: their creation must not fail for that. Repeated under the request's key,
 * the issuer gives the same answers.
 */
export async function activateCards(
  ctx: Ctx,
  request: KeyedRequest,
  made: readonly IssuerCard[],
): Promise<IssuerCard[]> {
  const asked = await Promise.all(made.map(({ id }) => activate(ctx, request, id)));
  return asked.filter((card) => card !== undefined);
}

async function activate(ctx: Ctx, request: KeyedRequest, cardId: string): Promise<IssuerCard | undefined> {
  const idempotencyKey = nameAtIssuer('card-activation', request, cardId);
  try {
    return await ctx.issuer.updateCard({ cardId, status: 'active', idempotencyKey });
  } catch (error) {
    if (error instanceof IssuerFault) return undefined;
    throw error;
  }
}
