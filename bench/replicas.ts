import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { issueKey } from '#features/keys';
import { createPool, type Db, type Pool } from '#platform/db/db';
import { migrate } from '#platform/db/migrate';
import { withReplicas } from '#platform/db/replicas';
import { createLog } from '#platform/observe/log';
import { createPostgresLimiter, type RateLimiter } from '#platform/rate-limit/index';
import { postBatch } from '../src/features/ledger/post-batch.ts';
import { type Member, startPrimary, startStandby, untilCaughtUp } from '../test/cluster.ts';
import { admitsAll, quietNetworks } from './history/world.ts';
import { measureRounds, median } from './measure.ts';
import { createWorld, operatorContext, type World } from './withdrawals/world.ts';

const log = createLog({ level: 'silent' });
const users = 64;
const linesOfUser = 500;

/** A primary server, a replica, and one that replays everything two seconds late. */
export async function runAlone(parts: string[]): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-bench-'));
  chmodSync(folder, 0o755);
  const members: Member[] = [];
  try {
    const primary = await startPrimary(path.join(folder, 'one'));
    members.push(primary);
    await primary.query('create database causeway');
    await migrate(primary.postgres.url('causeway'));
    const prompt = await startStandby(path.join(folder, 'two'), primary, { name: 'two' });
    members.push(prompt);
    if (parts.length === 0 || parts.includes('cpu')) await measureCpu(primary, prompt);
    if (parts.length === 0 || parts.includes('pairs')) {
      const late = await startStandby(path.join(folder, 'three'), primary, { name: 'three' });
      members.push(late);
      await late.query(`alter system set recovery_min_apply_delay = '2s'`);
      await late.query('select pg_reload_conf()');
      await measurePairs(primary, [prompt, late]);
    }
  } finally {
    for (const { postgres } of members) await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const poolOf = ({ postgres }: Member) =>
  createPool({ url: postgres.url('causeway'), connectionsMax: 10, statementTimeoutMs: 60_000, log });

/** What a page of history costs the primary server, with the limits there and without a replica, and with. */
async function measureCpu(primary: Member, replica: Member): Promise<void> {
  const [alone, counted] = [poolOf(primary), poolOf(primary)];
  const answers = { replica: 0, primary: 0 };
  const shared = withReplicas(poolOf(primary), {
    replicas: [poolOf(replica)],
    isSynchronous: false,
    log,
    count: (server) => {
      answers[server] += 1;
    },
  });
  const here = await worldOn(primary, alone, {
    label: 'alone',
    limiter: unbounded(createPostgresLimiter(counted)),
  });
  // The limits are in another database, which is not the primary server's.
  const there = await worldOn(primary, shared, { label: 'shared', limiter: admitsAll });
  await untilCaughtUp(primary, replica);
  const cost = (world: World, tokens: string[]) => async () => {
    const before = cpuMs(primary);
    const { answers } = await world.load({
      kind: 'reads',
      port: world.port,
      connections: 16,
      durationMs: 2_000,
      requests: tokens.map((token) => ({ path: '/api/history?resource=account&feature=account', token })),
    });
    return (cpuMs(primary) - before) / answers;
  };
  const costs = await measureRounds(
    { alone: cost(here.world, here.tokens), shared: cost(there.world, there.tokens) },
    5,
  );
  const [before, after] = [median(costs.alone), median(costs.shared)];
  const share = ((1 - after / before) * 100).toFixed(0);
  console.log(
    `CPU of the primary server for a page of history: ${before.toFixed(3)} ms without a replica, ${after.toFixed(3)} ms with one and RATE_LIMIT_URL: ${share} % less`,
  );
  console.log(`answered by the replica: ${answers.replica}, by the primary server: ${answers.primary}`);
  for (const { world } of [here, there]) await world.stop();
  await Promise.all([alone, counted, shared].map((pool) => pool.end()));
}

/** Counts as it does, and admits all: two requests in two seconds would measure the waiting. */
const unbounded = (limiter: RateLimiter): RateLimiter => ({
  ...limiter,
  admit: async (policy, subject) => ({
    ...(await limiter.admit({ ...policy, quota: 1_000 }, `${subject} ${Math.floor(Math.random() * 100)}`)),
    admitted: true,
  }),
});

async function worldOn(
  { postgres }: Member,
  db: Pool,
  options: { label: string; limiter: RateLimiter },
): Promise<{ world: World; tokens: string[] }> {
  const databaseUrl = postgres.url('causeway');
  const world = await createWorld({ db, databaseUrl }, { networks: quietNetworks(), users, ...options });
  const ctx = operatorContext(world.deps);
  const tokens: string[] = [];
  for (const userId of world.userIds) {
    const lines = Array.from({ length: linesOfUser }, (_, at) => ({
      userId,
      network: 'polygon',
      transactionType: 'buy' as const,
      assetReceived: 'USDT',
      amountReceived: String(at + 1),
      description: `Purchase ${at}`,
    }));
    await postBatch(ctx, { key: randomUUID(), lines });
    const { partnerId } = world;
    tokens.push((await issueKey(ctx, { name: 'bench', partnerId, userId })).token);
  }
  return { world, tokens };
}

/** Of a server and all its processes, user and system. */
function cpuMs({ postgres }: Member): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const isOfServer = Number(pid) === postgres.pid || Number(fields[1]) === postgres.pid;
      if (isOfServer) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks * 10;
}

const pairs = 100_000;

async function measurePairs(primary: Member, replicas: readonly Member[]): Promise<void> {
  const answers = { replica: 0, primary: 0 };
  const pool = withReplicas(poolOf(primary), {
    replicas: replicas.map(poolOf),
    isSynchronous: false,
    log,
    count: (server) => {
      answers[server] += 1;
    },
  });
  await pool.query('create table bench_pairs (id bigint primary key)');
  let [next, stale] = [0, 0];
  const startedAt = performance.now();
  const caller = async () => {
    while (next < pairs) {
      const id = next++;
      await pool.query('insert into bench_pairs values ($1)', [id]);
      if (!(await isSeen(pool.reading(), id))) stale += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(
    `${pairs} writes, each read again, with one replica two seconds late: ${stale} stale, in ${seconds} s; answered by replicas: ${answers.replica}, by the primary server: ${answers.primary}`,
  );
  await pool.end();
}

const isSeen = async (db: Db, id: number) =>
  (await db.query('select 1 from bench_pairs where id = $1', [id])).length === 1;
