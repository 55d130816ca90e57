import { randomUUID } from 'node:crypto';
import { issueKey } from '#features/keys';
import type { Pool } from '#platform/db/db';
import { createPostgresLimiter, type RateLimiter } from '#platform/rate-limit/index';
import { type Member, untilCaughtUp } from '#test/database/cluster';
import { postBatch } from '../../src/features/ledger/post-batch.ts';
import { quietNetworks } from '../history/world.ts';
import { measureRounds, median } from '../measure.ts';
import { createWorld, operatorContext, type World } from '../withdrawals/world.ts';
import { type Counts, countedPool, describe, noCounts, poolOf } from './pools.ts';
import { readCpu, type ServerCpu, since, totalOf } from './server-cpu.ts';

const users = 64;
const linesOfUser = 500;
const rounds = 7;
const roundMs = 2_000;
const connectionCounts = [1, 16];

interface Servers {
  primary: Member;
  replica: Member;
  /** What `RATE_LIMIT_URL` names. */
  limits: Member;
}

interface Round {
  requests: number;
  perSecond: number;
  cpu: ServerCpu;
  counts: Counts;
}

/**
 * What a page of history costs the primary server, without a replica and with one. Both have the same
 * limiter: in another database with the request log, as `RATE_LIMIT_URL` names it, and then in the primary
 * server's.
 */
export async function measureCpu({ primary, replica, limits }: Servers): Promise<void> {
  const counts = { now: noCounts() };
  const pools = {
    alone: poolOf(primary),
    shared: countedPool(primary, [replica], counts),
    apart: poolOf(limits),
    inside: poolOf(primary),
  };
  const limiters = {
    'RATE_LIMIT_URL set': unbounded(createPostgresLimiter(pools.apart)),
    'RATE_LIMIT_URL unset': unbounded(createPostgresLimiter(pools.inside)),
  };
  let limiter: RateLimiter = limiters['RATE_LIMIT_URL set'];
  const current: RateLimiter = {
    admit: (policy, subject) => limiter.admit(policy, subject),
    admitByAll: (all) => limiter.admitByAll(all),
  };
  /** The request log is where the limits are. */
  const logIn = (db: Pool): Pool => ({
    ...db,
    transaction: (work) => (limiter === limiters['RATE_LIMIT_URL set'] ? pools.apart : db).transaction(work),
  });
  const worldOf = (label: string, db: Pool) =>
    worldOn(primary, db, { label, limiter: current, limitsDb: logIn(db) });
  const alone = await worldOf('alone', pools.alone);
  const shared = await worldOf('shared', pools.shared);
  for (const [name, one] of Object.entries(limiters)) {
    limiter = one;
    for (const connections of connectionCounts) {
      await untilCaughtUp(primary, replica);
      const measured: Record<'alone' | 'shared', Round[]> = { alone: [], shared: [] };
      const measure =
        (side: keyof typeof measured, { world, tokens }: Side) =>
        async () => {
          const round = await runRound({ primary, world, tokens, connections }, counts);
          measured[side].push(round);
          return totalOf(round.cpu) / round.requests;
        };
      const costs = await measureRounds(
        { alone: measure('alone', alone), shared: measure('shared', shared) },
        rounds,
      );
      print(`${name}, ${connections} connections`, costs, measured);
    }
  }
  for (const { world } of [alone, shared]) await world.stop();
  await Promise.all(Object.values(pools).map((pool) => pool.end()));
}

interface Side {
  world: World;
  tokens: string[];
}

async function runRound(
  { primary, world, tokens, connections }: Side & { primary: Member; connections: number },
  counts: { now: Counts },
): Promise<Round> {
  counts.now = noCounts();
  const before = readCpu(primary);
  const { answers, perSecond } = await world.load({
    kind: 'reads',
    port: world.port,
    connections,
    durationMs: roundMs,
    requests: tokens.map((token) => ({ path: '/api/history?resource=account&feature=account', token })),
  });
  return { requests: answers, perSecond, cpu: since(before, readCpu(primary)), counts: counts.now };
}

function print(
  title: string,
  costs: Record<'alone' | 'shared', number[]>,
  measured: Record<'alone' | 'shared', Round[]>,
): void {
  const [before, after] = [median(costs.alone), median(costs.shared)];
  const less = median(costs.shared.map((us, round) => 1 - us / costs.alone[round]!)) * 100;
  console.log(
    `${title}: CPU of the primary server for a page of history: ${before.toFixed(0)} µs without a replica, ${after.toFixed(0)} µs with one: ${less.toFixed(0)} % less (goal: 80)`,
  );
  for (const [side, all] of Object.entries(measured)) {
    const middle = all.slice(1).toSorted((a, b) => costOf(a) - costOf(b))[Math.floor((all.length - 1) / 2)]!;
    const { cpu, requests, perSecond, counts } = middle;
    const parts = Object.entries(cpu).map(([kind, us]) => `${kind} ${(us / requests).toFixed(1)}`);
    console.log(`  ${side}: ${perSecond.toFixed(0)} requests/s; µs a request: ${parts.join(', ')}`);
    if (side === 'alone') continue;
    console.log(
      `  calls to the primary server: ${(counts.calls / requests).toFixed(3)} a request; ${describe(counts)}`,
    );
  }
}

const costOf = ({ cpu, requests }: Round) => totalOf(cpu) / requests;

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
  options: { label: string; limiter: RateLimiter; limitsDb: Pool },
): Promise<Side> {
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
