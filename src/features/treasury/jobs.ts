import { networks } from '#adapters/evm';
import { contextFor, type Deps } from '#context';
import { Refusal } from '#platform/errors/errors';
import type { Job } from '#platform/worker/jobs';
import { selectPosition } from './queries.ts';
import { reconcile } from './reconcile.ts';
import { everyMs } from './timing.ts';

/** A separate job for each network, so that nodes that are down do not delay other networks. */
export const treasuryJobs: readonly Job<Deps>[] = networks.map((network) => ({
  name: `treasury.reconcile ${network}`,
  everyMs,
  isConfigured: ({ evm }) => evm.has(network),
  run: async (deps) => {
    const position = await selectPosition(deps.db, network);
    const dueAt = (position?.reconciledAt.getTime() ?? 0) + deps.evm.get(network)!.reconcileEveryMs;
    if (!position?.isCounting && deps.clock().getTime() < dueAt) return 0;
    const ctx = contextFor(deps, { kind: 'worker', job: `treasury.reconcile ${network}` } as const, deps.log);
    try {
      const [report] = (await reconcile(ctx, { network })).reports;
      return report!.isCounting ? 1 : 0;
    } catch (error) {
      // Retried if nodes are down or disagree; causeway_treasury_age_seconds grows.
      if (!(error instanceof Refusal)) throw error;
      deps.log.warn({ network, trouble: error.message }, 'the treasury was not compared');
      return 0;
    }
  },
}));
