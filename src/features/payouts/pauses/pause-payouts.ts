import { type Ctx, inTransaction, type OperatorActor } from '#context';
import { recordChange } from '#features/audit';
import { insertPause, type PauseRow, selectPause } from './queries.ts';
import { type PauseTarget, scopeOf } from './scope.ts';
import { type PauseView, presentPause } from './wire.ts';

/**
 * Stops new payouts. From the commit on, no worker locks a payout of the scope to sign it; one that a worker
 * locked before is still signed, and what is signed is sent. Pausing again has no effect.
 */
export function pausePayouts(
  ctx: Ctx<OperatorActor>,
  { reason, ...target }: PauseTarget & { reason: string },
): Promise<PauseView> {
  return inTransaction(ctx, async (ctx) => {
    const scope = await scopeOf(ctx, target);
    const wanted: PauseRow = { scope, reason, pausedAt: ctx.now, pausedBy: ctx.actor.name };
    const made = await insertPause(ctx.db, wanted);
    if (!made) return presentPause(scope, await selectPause(ctx.db, scope));
    const after = presentPause(scope, made);
    await recordChange(ctx, { action: 'payouts.pause', subject: `pause:${scope}`, after });
    return after;
  });
}
