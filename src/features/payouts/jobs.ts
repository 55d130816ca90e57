import { type Network, NodeError, networks } from '#adapters/evm';
import { contextFor, type Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { bindRepeated } from './bind-repeated.ts';
import { broadcast } from './broadcast.ts';
import { bumpStuck } from './bump.ts';
import { fillNonces } from './fill/fill-nonces.ts';
import { holdQueued } from './hold-queued.ts';
import { type AtStep, createKeylessLane, createLane, type Lane, type WorkerCtx } from './lane.ts';
import { selectLaneDepths } from './queries/signers.ts';
import { readBalances } from './read-balances.ts';
import { recheckFinal } from './recheck-final.ts';
import { settleFinal } from './settle.ts';
import { signPending } from './sign-pending.ts';

interface Step {
  /**
   * Also for wallets whose key is not here: after a key change, open payouts of the old wallet are still
   * settled, and settled ones are still rechecked.
   */
  isKeyless?: 'while open' | 'always';
  name: string;
  everyMs: number;
  wakes?: string;
  run(ctx: WorkerCtx, lane: Lane): Promise<number>;
}

/**
 * The steps of a payout as separate loops over the rows, so that a slow step does not delay the others and
 * any number of workers can run them.
 */
const steps: readonly Step[] = [
  { name: 'bind', everyMs: 5_000, wakes: 'settle', run: bindRepeated },
  { name: 'hold', everyMs: 1_000, wakes: 'sign', run: holdQueued },
  { name: 'sign', everyMs: 1_000, wakes: 'send', run: signPending },
  { name: 'send', isKeyless: 'while open', everyMs: 1_000, wakes: 'settle', run: broadcast },
  { name: 'bump', everyMs: 2_000, wakes: 'send', run: bumpStuck },
  { name: 'fill', everyMs: 2_000, run: fillNonces },
  // Transactions in a block make room for more in the mempool.
  { name: 'settle', isKeyless: 'while open', everyMs: 1_000, wakes: 'sign', run: settleFinal },
  { name: 'recheck', isKeyless: 'always', everyMs: 30_000, run: recheckFinal },
];

/** Separate loops for each network, so that a node that is down does not delay other networks. */
export function payoutJobs(atStep?: AtStep): Job<Deps>[] {
  return networks.flatMap((network) =>
    steps.map(({ name, isKeyless, everyMs, wakes, run }) => ({
      name: nameOf(name, network),
      everyMs,
      isShared: true as const,
      isConfigured: ({ evm }: Deps) => evm.get(network)?.signer !== undefined,
      ...(name === 'hold' && { wokenBy: 'withdrawals' }),
      ...(wakes && { wakes: [nameOf(wakes, network)] }),
      run: async (deps: Deps) => {
        const lane = laneOf(deps, network, atStep);
        const ctx = contextFor(deps, { kind: 'worker', job: nameOf(name, network) } as const, deps.log);
        let done = await run(ctx, lane);
        if (!isKeyless) return done;
        for (const former of await formerLanes(ctx, lane, isKeyless)) done += await run(ctx, former);
        return done;
      },
    })),
  );
}

/**
 * For metrics: low gas is visible before payouts wait for it. In every worker, because each answers its own
 * scrapes.
 */
export const walletJobs: readonly Job<Deps>[] = networks.map((name) => ({
  name: nameOf('balances', name),
  everyMs: 60_000,
  isShared: true,
  isConfigured: ({ evm }) => evm.has(name),
  run: async (deps) => {
    const network = deps.evm.get(name)!;
    const ctx = contextFor(deps, { kind: 'worker', job: nameOf('balances', name) } as const, deps.log);
    await readBalances(ctx, network).catch((error) => {
      if (!(error instanceof NodeError)) throw error;
      deps.log.debug({ err: error, network: name }, 'the node did not answer; retrying');
    });
  },
}));

function nameOf(step: string, network: Network): string {
  return `payouts.${step} ${network}`;
}

/** Lanes of wallets other than the one that this process signs for: those with open payouts, or all. */
async function formerLanes(
  ctx: WorkerCtx,
  { network, signer, atStep }: Lane,
  when: 'while open' | 'always',
): Promise<Lane[]> {
  const depths = await selectLaneDepths(ctx.db);
  return depths
    .filter((one) => one.network === network.name && one.address !== signer.address)
    .filter(({ open }) => open > 0n || when === 'always')
    .map(({ address }) => {
      const known = former.get(network) ?? new Map<string, Lane>();
      former.set(network, known);
      const lane = known.get(address) ?? createKeylessLane(network, address, atStep);
      known.set(address, lane);
      return lane;
    });
}

const former = new WeakMap<object, Map<string, Lane>>();
const lanes = new WeakMap<object, Lane>();

/** One lane for each network of a process; its loops share the state. */
function laneOf({ evm }: Deps, name: Network, atStep: AtStep | undefined): Lane {
  const network = evm.get(name)!;
  const lane = lanes.get(network) ?? createLane(network, atStep)!;
  lanes.set(network, lane);
  return lane;
}
