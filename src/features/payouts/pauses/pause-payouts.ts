import { type Ctx, inTransaction, type OperatorActor } from '#context';
import { recordChange } from '#features/audit';
import { lockPause, type PauseRow, upsertPause } from './queries.ts';
import { type PauseTarget, scopeOf } from './scope.ts';
import { type PauseView, presentPause } from './wire.ts';

/**
 * Stops new payouts. From the commit on, no worker locks a payout of the scope to sign it; one that a worker
 * locked before is still signed, and what is signed is sent. Pausing again renews it: a resumption that was
 * asked for before does not end it.
 */
export function pausePayouts(
  ctx: Ctx<OperatorActor>,
  { reason, ...target }: PauseTarget & { reason: string },
): Promise<PauseView> {
  return inTransaction(ctx, async (ctx) => {
    const scope = await scopeOf(ctx, target);
    const wanted: PauseRow = { scope, reason, pausedAt: ctx.now, pausedBy: ctx.actor.name };
    const former = await lockPause(ctx.db, scope);
    await upsertPause(ctx.db, wanted);
    const after = presentPause(scope, wanted);
    await recordChange(ctx, {
      action: 'payouts.pause',
      subject: `pause:${scope}`,
      ...(former && { before: presentPause(scope, former) }),
      after,
    });
    return after;
  });
}
