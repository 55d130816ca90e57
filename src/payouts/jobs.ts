import { contextFor, type Deps } from '../context.ts';
import { type Network, networks } from '../evm/index.ts';
import type { Job } from '../platform/jobs.ts';
import { broadcast } from './broadcast.ts';
import { bumpStuck } from './bump.ts';
import { holdQueued } from './hold-queued.ts';
import { type AtStep, createLane, type Lane, type WorkerCtx } from './lane.ts';
import { settleFinal } from './settle.ts';
import { signPending } from './sign-pending.ts';

interface Step {
  name: string;
  everyMs: number;
  wakes?: string;
  run(ctx: WorkerCtx, lane: Lane): Promise<number>;
}

/** The life of a payout. Separate loops over the rows: a slow one does not starve the others, and any number of workers run them. */
const steps: readonly Step[] = [
  { name: 'hold', everyMs: 1_000, wakes: 'sign', run: holdQueued },
  { name: 'sign', everyMs: 1_000, wakes: 'send', run: signPending },
  { name: 'send', everyMs: 1_000, wakes: 'settle', run: broadcast },
  { name: 'bump', everyMs: 2_000, wakes: 'send', run: bumpStuck },
  // What is in a block makes room for more on the way to one.
  { name: 'settle', everyMs: 1_000, wakes: 'sign', run: settleFinal },
];

/** For each network its own loops: one whose node is away does not hold the others up. */
export function payoutJobs(atStep?: AtStep): Job<Deps>[] {
  return networks.flatMap((network) =>
    steps.map(({ name, everyMs, wakes, run }) => ({
      name: nameOf(name, network),
      everyMs,
      isShared: true as const,
      ...(name === 'hold' && { wokenBy: 'withdrawals' }),
      ...(wakes && { wakes: [nameOf(wakes, network)] }),
      run: async (deps: Deps) => {
        const lane = laneOf(deps, network, atStep);
        const job = nameOf(name, network);
        return lane ? run(contextFor(deps, { kind: 'worker', job }, deps.log), lane) : 0;
      },
    })),
  );
}

const nameOf = (step: string, network: Network) => `payouts.${step} ${network}`;

const lanes = new WeakMap<object, Lane>();

/** One lane for each network of a process: its loops share what it knows. */
function laneOf({ evm }: Deps, name: Network, atStep: AtStep | undefined): Lane | undefined {
  const network = evm.get(name);
  if (!network) return undefined;
  const lane = lanes.get(network) ?? createLane(network, atStep);
  if (lane) lanes.set(network, lane);
  return lane;
}
