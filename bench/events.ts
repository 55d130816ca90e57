import { randomBytes } from 'node:crypto';
import { contextFor } from '#context';
import { createOutgoing } from '#platform/outgoing/index';
import { createSealer } from '#platform/secrets/seal';
import { startChain } from '#test/outside/chain';
import { createEndpoint } from '../src/features/webhooks/create-endpoint.ts';
import { deleteEndpoint } from '../src/features/webhooks/delete-endpoint.ts';
import { measureBarePosts, measureLatency, medianOf, perSecond, startReceiver } from './events/deliveries.ts';
import { type Bench, measureRounds, printRounds } from './measure.ts';
import { createRate } from './withdrawals/create-rate.ts';
import { createWorld, startProcess, stopProcess, type World } from './withdrawals/world.ts';

/** What events cost creations, how soon webhooks arrive, and what bad endpoints do to others. */
export const run: Bench = async (given) => {
  const wanted = (part: string) => given.parts.length === 0 || given.parts.includes(part);
  const chain = await startChain();
  const world = await createWorld(given, { networks: [chain.settings], users: 51 });
  try {
    if (wanted('cost')) await measureCost(world);
    if (wanted('latency') || wanted('isolation')) await measureDeliveries(world, wanted);
  } finally {
    await world.stop();
    await chain.stop();
  }
};

const roundMs = 400;
const rounds = 15;

/** Creations over HTTP with the triggers that record events, and without, while a worker numbers. */
async function measureCost(world: World): Promise<void> {
  const worker = await startProcess('../events/worker.ts', {
    databaseUrl: world.databaseUrl,
    encryptionKey: randomBytes(32),
  });
  const setTriggers = (state: 'enable' | 'disable') =>
    world.db.query(`alter table withdrawals ${state} trigger withdrawals_record_new`);
  const create = () => createRate(world, roundMs);
  for (let n = 0; n < 8; n++) await create();
  const measure = async (state: 'enable' | 'disable') => {
    await setTriggers(state);
    return create();
  };
  const rates = await measureRounds(
    { with: () => measure('enable'), without: () => measure('disable') },
    rounds,
  );
  printRounds('creations with events / without (goal: at least 0.85)', rates.with, rates.without);
  await setTriggers('enable');
  await stopProcess(worker);
}

const runs = 3;

async function measureDeliveries(world: World, wanted: (part: string) => boolean): Promise<void> {
  const { receiver, port } = await startReceiver();
  const encryptionKey = randomBytes(32);
  const worker = await startProcess('../events/worker.ts', { databaseUrl: world.databaseUrl, encryptionKey });
  const ctx = {
    ...contextFor(world.deps, { kind: 'operator', name: 'bench', role: 'admin' } as const, world.deps.log),
    sealer: createSealer(new Map([[1, encryptionKey]])),
    outgoing: createOutgoing({ allowsLoopbackHttp: true, ports: [], allowedBlocks: [] }),
  };
  const add = (path: string) =>
    createEndpoint(ctx, { url: `http://127.0.0.1:${port}${path}`, partnerId: world.partnerId });
  await add('/well/1');
  await measureLatency(world, receiver, '/well/1');
  const alone = [];
  for (let n = 0; n < runs; n++) alone.push(await measureLatency(world, receiver, '/well/1'));
  const bare = await measureBarePosts(port);
  const [p50, p99] = [medianOf(alone, 'p50'), medianOf(alone, 'p99')];
  if (wanted('latency')) {
    const ms = (value: number) => `${value.toFixed(1)} ms`;
    console.log(
      `commit to receiver at ${perSecond} events a second: p50 ${ms(p50)} (goal: 30), p99 ${ms(p99)} (goal: 150)`,
    );
    console.log(
      `the same / a bare POST: p50 ${(p50 / bare.p50).toFixed(1)} (${ms(bare.p50)}), p99 ${(p99 / bare.p99).toFixed(1)} (${ms(bare.p99)})`,
    );
  }
  if (wanted('isolation')) {
    const measureBeside = async (paths: readonly string[]) => {
      const added = [];
      for (const path of paths) added.push(await add(path));
      await measureLatency(world, receiver, '/well/1');
      const beside = [];
      for (let n = 0; n < runs; n++) beside.push(await measureLatency(world, receiver, '/well/1'));
      for (const { id } of added) await deleteEndpoint(ctx, { endpointId: id });
      return medianOf(beside, 'p99');
    };
    // Three more endpoints are four times the deliveries, for which all processes here share the machine.
    const besideGood = await measureBeside(['/well/2', '/well/3', '/well/4']);
    const besideBad = await measureBeside(['/hangs/1', '/fails/1', '/drips/1']);
    const ofBad = (other: number) => (besideBad / other).toFixed(2);
    console.log(
      `p99 beside an endpoint that hangs, one that fails and one that drips / beside three that work: ${ofBad(besideGood)} (goal: at most 1.2; alone: ${ofBad(p99)})`,
    );
  }
  await stopProcess(worker);
  await stopProcess(receiver);
}
