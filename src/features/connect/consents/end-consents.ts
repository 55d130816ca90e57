import { type Ctx, inTransaction, type WorkerActor } from '#context';
import { type Consent, revokedAsOf } from './consent.ts';
import { lockExpired, lockOrphaned, updateConsent } from './queries/consents.ts';
import { recordMove } from './record-move.ts';

/** Small batches, because the audit log has a single lock. */
const endedAtOnce = 100;

/** Moves consents that are over to expired; returns how many. */
export function expireConsents(ctx: Ctx<WorkerActor>): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const consents = await lockExpired(ctx.db, ctx.now, endedAtOnce);
    return endAll(ctx, 'expire', consents, (consent) => ({ ...consent, status: 'expired' }));
  });
}

/** Revokes consents of revoked integrations, which can no longer read them. Returns how many. */
export function revokeOrphans(ctx: Ctx<WorkerActor>): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const consents = await lockOrphaned(ctx.db, endedAtOnce);
    return endAll(ctx, 'revoke', consents, (consent) => revokedAsOf(consent, ctx.now, 'operator'));
  });
}

async function endAll(
  ctx: Ctx,
  action: string,
  consents: Consent[],
  end: (consent: Consent) => Consent,
): Promise<number> {
  const moves = consents.map((consent) => ({ consent, ended: end(consent) }));
  for (const { ended } of moves) await updateConsent(ctx.db, ended);
  for (const { consent, ended } of moves) await recordMove(ctx, action, consent, ended);
  return moves.length;
}
