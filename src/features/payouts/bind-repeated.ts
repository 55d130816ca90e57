import { inTransaction } from '#context';
import { Refusal } from '#platform/errors/errors';
import { bindFound } from './found/bind-found.ts';
import { selectBindable, updateMatchedByKey } from './found/queries.ts';
import type { Lane, WorkerCtx } from './lane.ts';
import { turnMax } from './timing.ts';

/**
 * A partner repeats a request whose payment was found on chain after a restore: the withdrawal is bound to that payment. Also while
 * the wallet is halted, because nothing is signed. Each alone, so that one without funds does not hold the others up.
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
