import { type EvmNetwork, networks } from '#adapters/evm';
import { contextFor, type Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { everyMs } from './timing.ts';
import { createWatch, type Watch } from './watch.ts';
import { watchDeposits } from './watch-deposits.ts';

/** A separate loop for each network, so that a node that is down does not delay other networks. */
export const depositJobs: readonly Job<Deps>[] = networks.map((name) => ({
  name: `deposits.watch ${name}`,
  everyMs,
  isShared: true,
  isConfigured: ({ evm }) => evm.has(name),
  run: async (deps) => {
    const ctx = contextFor(deps, { kind: 'worker', job: `deposits.watch ${name}` } as const, deps.log);
    const { posted, isBehind } = await watchDeposits(ctx, watchOf(deps.evm.get(name)!));
    return posted + (isBehind ? 1 : 0);
  },
}));

const watches = new WeakMap<EvmNetwork, Watch>();

function watchOf(network: EvmNetwork): Watch {
  const watch = watches.get(network) ?? createWatch(network);
  watches.set(network, watch);
  return watch;
}
