import { setTimeout as sleep } from 'node:timers/promises';
import { createUser } from '#features/users';
import { createEndpoint } from '#features/webhooks';
import { runJobs } from '#platform/worker/jobs';
import { runServices } from '#platform/worker/services';
import { jobs, services } from '../../src/app.ts';
import { type Load, startLoad } from '../chaos/load.ts';
import { createRandom } from '../chaos/random.ts';
import { judge } from '../chaos/verdict.ts';
import { startWorkers } from '../chaos/workers.ts';
import { startWorldOn, type World } from '../chaos/world.ts';
import { type Posts, startPosts } from './posts.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Servers, startServers } from './servers.ts';

export interface DrillOptions {
  /** An empty folder that other accounts can enter. */
  folder: string;
  times: number;
  seed: string;
  /** Between a failover and the next. */
  pauseMs: number;
  say?: (words: string) => void;
}

export interface DrillOutcome {
  broken: string[];
  withdrawals: number;
  posts: number;
  /** From each kill to the next payout that was settled. */
  seconds: number[];
}

/** On a busy machine the first payout may take long; the limit for the others is in `run.ts`. */
const settledWithinMs = 120_000;
const restMs = 60_000;
const finalityDepth = 2;

/** Payouts, posts and webhooks run while the database fails over again and again, with nobody's help. */
export async function runDrill({ folder, times, seed, pauseMs, say }: DrillOptions): Promise<DrillOutcome> {
  const receiver = await startReceiver();
  const world = await startWorldOn(await startServers(folder, { isSynchronous: true }), {
    folder,
    seed,
    finality: { rule: finalityDepth },
    config: {
      databaseReplication: 'synchronous',
      outgoing: { allowsLoopbackHttp: true, ports: [receiver.port], allowedBlocks: ['127.0.0.0/8'] },
    },
  });
  try {
    const { id: userId } = await createUser(world.operatorContext(), {
      email: 'posts@example.com',
      givenName: 'P',
      familyName: 'P',
    });
    const endpoint = { partnerId: world.partnerId, allUsers: true, url: receiver.url };
    await createEndpoint(world.operatorContext(), endpoint);
    const random = createRandom(seed, 'drill');
    const workers = startWorkers({
      world,
      random,
      count: 2,
      lifeMs: Number.POSITIVE_INFINITY,
      deadlySteps: [],
      isReplicationSynchronous: true,
    });
    const notifying = jobs.filter(({ name }) => name.startsWith('events.') || name.startsWith('webhooks.'));
    const running = [runJobs(notifying, world.deps), runServices(services, world.deps)];
    const load = startLoad({ world, random, perSecond: 4 });
    const posts = startPosts(world, { userId, perSecond: 2 });
    const seconds = await failOverAgain(world, { times, pauseMs, say });
    await Promise.all([load.finish(), posts.finish()]);
    await waitUntilFinal(world);
    await workers.stop();
    for (const one of running) await one.stop();
    const operator = { unexplained: new Set<string>(), unpaidNonces: new Set<string>() };
    const broken = [
      ...workers.accidents,
      ...load.faults,
      ...(await judge(world, load.asked, operator)),
      ...(await judgeRest(world, { load, posts, receiver })),
    ];
    return { broken, withdrawals: load.created, posts: posts.acknowledged.length, seconds };
  } finally {
    receiver.stop();
    await world.stop();
  }
}

interface Pace extends Pick<DrillOptions, 'times' | 'pauseMs'> {
  say: DrillOptions['say'];
}

async function failOverAgain(world: World<Servers>, { times, pauseMs, say }: Pace): Promise<number[]> {
  const seconds: number[] = [];
  await untilSettled(world, 0);
  for (let at = 1; at <= times; at += 1) {
    await world.database.whole();
    await sleep(pauseMs);
    const before = await countSettled(world);
    const killedAt = performance.now();
    await world.database.failOver();
    await untilSettled(world, before);
    seconds.push((performance.now() - killedAt) / 1_000);
    say?.(`failover ${at}: the next payout was settled after ${seconds.at(-1)!.toFixed(1)} s`);
  }
  return seconds;
}

export const countSettled = async ({ deps }: World<Servers>): Promise<number> => {
  const [row] = await deps.db
    .query<{ count: number }>(`select count(*)::integer as count from withdrawals where status = 'completed'`)
    .catch(() => []);
  return row?.count ?? -1;
};

export async function untilSettled(world: World<Servers>, before: number): Promise<void> {
  const deadline = Date.now() + settledWithinMs;
  while ((await countSettled(world)) <= before) {
    if (Date.now() > deadline) throw new Error(`no payout was settled within ${settledWithinMs / 1_000} s`);
    await sleep(50);
  }
}

export async function waitUntilFinal({ deps }: World<Servers>): Promise<void> {
  const open = `select 1 from withdrawals where status not in ('completed', 'failed')
    union all select 1 from webhook_deliveries where status = 'due' limit 1`;
  for (const deadline = Date.now() + restMs; Date.now() < deadline; await sleep(200)) {
    const rows = await deps.db.query(open).catch(() => [{}]);
    if (rows.length === 0) return;
  }
}

/** No post that was answered is lost, and the partner received the end of every withdrawal. */
async function judgeRest(
  { deps }: World<Servers>,
  { posts, receiver }: { load: Load; posts: Posts; receiver: Receiver },
): Promise<string[]> {
  const lines = await deps.db.query<{ id: string; count: number }>(
    `select operation_id as id, count(*)::integer as count from ledger_lines where operation_id like 'drill-%' group by 1`,
  );
  const counts = new Map(lines.map(({ id, count }) => [id, count]));
  const rows = await deps.db.query<{ id: string }>(
    `select id from withdrawals where status in ('completed', 'failed')`,
  );
  return [
    ...posts.acknowledged
      .filter((id) => counts.get(id) !== 1)
      .map((id) => `post ${id} is there ${counts.get(id) ?? 0} times`),
    ...rows.filter(({ id }) => !receiver.final.has(id)).map(({ id }) => `the end of ${id} was not received`),
  ];
}
