import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { payoutErrors } from '../errors.ts';
import { deletePause, lockPause } from './queries.ts';
import { type PauseTarget, scopeOf } from './scope.ts';
import { type PauseView, presentPause } from './wire.ts';

/**
 * Ends the pause of exactly this scope; other pauses stay. Without one it has no effect. A request that
 * waited for a second operator ends only the pause that it was about.
 */
export function resumePayouts(ctx: Ctx, target: PauseTarget): Promise<PauseView> {
  return inTransaction(ctx, async (ctx) => {
    const scope = await scopeOf(ctx, target);
    const ended = await deletePause(ctx.db, scope, ctx.askedAt);
    const after = presentPause(scope, undefined);
    if (!ended && (await lockPause(ctx.db, scope))) throw payoutErrors.pauseIsNewer();
    if (!ended) return after;
    const before = presentPause(scope, ended);
    await recordChange(ctx, { action: 'payouts.resume', subject: `pause:${scope}`, before, after });
    return after;
  });
}
