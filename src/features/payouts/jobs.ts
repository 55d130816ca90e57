import { type Evm, hotWalletsMax, type Network, NodeError, networks } from '#adapters/evm';
import { contextFor, type Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { bindRepeated } from './bind-repeated.ts';
import { broadcast } from './broadcast.ts';
import { bumpStuck } from './bump.ts';
import { fillNonces } from './fill/fill-nonces.ts';
import { holdQueued } from './hold-queued.ts';
import { type AtStep, createKeylessLane, createLanes, type Lane, type WorkerCtx } from './lane.ts';
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
  /** It takes from the queue of the network, so one loop is enough for all wallets of it. */
  isOfNetwork?: true;
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
  { name: 'bind', isOfNetwork: true, everyMs: 5_000, wakes: 'settle', run: bindRepeated },
  { name: 'hold', isOfNetwork: true, everyMs: 1_000, wakes: 'sign', run: holdQueued },
  { name: 'sign', everyMs: 1_000, wakes: 'send', run: signPending },
  { name: 'send', isKeyless: 'while open', everyMs: 1_000, wakes: 'settle', run: broadcast },
  { name: 'bump', everyMs: 2_000, wakes: 'send', run: bumpStuck },
  { name: 'fill', everyMs: 2_000, run: fillNonces },
  // Transactions in a block make room for more in the mempool.
  { name: 'settle', isKeyless: 'while open', everyMs: 1_000, wakes: 'sign', run: settleFinal },
  { name: 'recheck', isKeyless: 'always', everyMs: 30_000, run: recheckFinal },
];

/**
 * Separate loops for each network and hot wallet, so that a node that is down does not delay other networks,
 * and a slow wallet does not delay the others.
 */
export function payoutJobs(atStep?: AtStep): Job<Deps>[] {
  return networks.flatMap((network) => jobsOf(network, atStep));
}

const jobsOf = (network: Network, atStep?: AtStep): Job<Deps>[] =>
  places.flatMap((place) =>
    steps
      .filter(({ isOfNetwork }) => place === 0 || !isOfNetwork)
      .map((step) => jobOf(step, network, place, atStep)),
  );

/**
 * One worker at a time leads on a network. Several would ask the nodes the same questions, and wait for each
 * other's locks: a payout took 17.8 ms of CPU with four, and 6.7 with one (`npm run bench -- curve`, see
 * docs/throughput.md). Safety does not depend on it.
 */
export function ledPayoutJobs(): Job<Deps>[] {
  return networks.flatMap((network) =>
    // Workers with other keys pay from other wallets.
    jobsOf(network).map((job) => ({
      ...job,
      lead: ({ evm }) => `payouts ${network} ${walletsOf(evm, network)}`,
    })),
  );
}

const walletsOf = (evm: Evm, network: Network) =>
  evm
    .get(network)!
    .signers.map(({ address }) => address)
    .sort()
    .join();

/** Places of hot wallets in the setting. */
const places = Array.from({ length: hotWalletsMax }, (_, place) => place);

function jobOf(step: Step, network: Network, place: number, atStep: AtStep | undefined): Job<Deps> {
  const { name: stepName, isKeyless, isOfNetwork, everyMs, wakes, run } = step;
  const name = nameOf(stepName, network, place);
  const woken = isOfNetwork ? places : [place];
  return {
    name,
    everyMs,
    isShared: true,
    isConfigured: ({ evm }) => evm.get(network)?.signers[place] !== undefined,
    ...(stepName === 'hold' && { wokenBy: 'withdrawals' }),
    ...(wakes && { wakes: woken.map((each) => nameOf(wakes, network, each)) }),
    run: async (deps) => {
      const ctx = contextFor(deps, { kind: 'worker', job: name } as const, deps.log);
      const lanes = lanesOf(deps, network, atStep);
      if (isOfNetwork) return runForNetwork(ctx, lanes, run);
      let done = await run(ctx, lanes[place]!);
      if (!isKeyless || place > 0) return done;
      for (const former of await formerLanes(ctx, lanes[0]!, isKeyless)) done += await run(ctx, former);
      return done;
    },
  };
}

/** With the first wallet that may: one that is halted leaves it to the others. */
async function runForNetwork(ctx: WorkerCtx, lanes: readonly Lane[], run: Step['run']): Promise<number> {
  for (const lane of lanes) {
    const done = await run(ctx, lane);
    if (done > 0) return done;
  }
  return 0;
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

function nameOf(step: string, network: Network, place = 0): string {
  return `payouts.${step} ${network}${place > 0 ? ` ${place + 1}` : ''}`;
}

/** Lanes of wallets other than those that this process signs for: those with open payouts, or all. */
async function formerLanes(
  ctx: WorkerCtx,
  { network, all, atStep }: Lane,
  when: 'while open' | 'always',
): Promise<Lane[]> {
  const depths = await selectLaneDepths(ctx.db);
  return depths
    .filter(
      (one) => one.network === network.name && !all.some(({ signer }) => signer.address === one.address),
    )
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
const lanesByNetwork = new WeakMap<object, Lane[]>();

/** One lane for each hot wallet of a process; its loops share the state. */
function lanesOf({ evm }: Deps, name: Network, atStep: AtStep | undefined): Lane[] {
  const network = evm.get(name)!;
  const lanes = lanesByNetwork.get(network) ?? createLanes(network, atStep);
  lanesByNetwork.set(network, lanes);
  return lanes;
}
