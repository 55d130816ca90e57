import { inTransaction } from '#context';
import { Refusal } from '#platform/errors/errors';
import { bindFound } from './found/bind-found.ts';
import { selectBindable, updateMatchedByKey } from './found/queries.ts';
import type { Lane, WorkerCtx } from './lane.ts';
import { turnMax } from './timing.ts';

/**
 * Binds a withdrawal to a payment that was found on chain after a restore, when the partner repeats the lost
 * request. It also runs while the wallet is halted, because nothing is signed. Each is bound alone, so that
 * one without funds does not block the others.
 */
export async function bindRepeated(ctx: WorkerCtx, { network }: Lane): Promise<number> {
  await updateMatchedByKey(ctx.db, network.name);
  let done = 0;
  for (const hash of await selectBindable(ctx.db, network.name, turnMax)) {
    try {
      done += (await inTransaction(ctx, (ctx) => bindFound(ctx, network.name, hash))).length;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      ctx.log.error(
        { network: network.name, hash, reason: error.message },
        'a payment found on chain cannot be posted',
      );
    }
  }
  return done;
}
