import { setTimeout as sleep } from 'node:timers/promises';
import { type Load, startLoad } from '../chaos/load.ts';
import { startOperator } from '../chaos/operator.ts';
import { createRandom } from '../chaos/random.ts';
import { judge } from '../chaos/verdict.ts';
import { startWorkers } from '../chaos/workers.ts';
import { startWorldOn, type World as WorldOf } from '../chaos/world.ts';
import { countSettled, type DrillOptions, untilSettled, waitUntilFinal } from './drill.ts';
import { type Servers, startServers } from './servers.ts';

export interface LossOutcome {
  broken: string[];
  withdrawals: number;
  /** Requests that were answered before a loss, and repeated after it. */
  repeated: number;
  /** Payments that were on chain, or on their way to it, when the database lost them. */
  lost: number;
  /** From each promotion until every wallet was halted. */
  seconds: number[];
}

type World = WorldOf<Servers>;
type Judged = Parameters<typeof judge>[2];

const haltedWithinMs = 60_000;
const lostMs = 3_000;
const finalityDepth = 2;

/**
 * Standbys that only follow: each failover loses the last seconds of commits, and payments with them. Every
 * wallet must halt and say why before it signs again; then an operator does what the runbook says, and
 * partners repeat their requests.
 */
export async function runLossDrill(options: Omit<DrillOptions, 'pauseMs'>): Promise<LossOutcome> {
  const { folder, times, seed, say } = options;
  const world = await startWorldOn(await startServers(folder, { isSynchronous: false }), {
    folder,
    seed,
    finality: { rule: finalityDepth },
    wallets: 2,
  });
  try {
    const random = createRandom(seed, 'drill');
    const workers = startWorkers({
      world,
      random,
      count: 2,
      lifeMs: Number.POSITIVE_INFINITY,
      deadlySteps: [],
    });
    const load = startLoad({ world, random, perSecond: 4 });
    const outcome: LossOutcome = { broken: [], withdrawals: 0, repeated: 0, lost: 0, seconds: [] };
    const judged: Judged = { unexplained: new Set(), unpaidNonces: new Set() };
    for (let at = 1; at <= times; at += 1) {
      await untilSettled(world, await countSettled(world));
      await world.database.whole();
      await loseCommits(world, { load, outcome, judged });
      say?.(`failover ${at}: every wallet was halted after ${outcome.seconds.at(-1)!.toFixed(1)} s`);
    }
    await load.finish();
    await waitUntilFinal(world);
    await workers.stop();
    outcome.broken.push(...workers.accidents, ...load.faults, ...(await judge(world, load.asked, judged)));
    return { ...outcome, withdrawals: load.created, repeated: load.repeated };
  } finally {
    await world.stop();
  }
}

interface Under {
  load: Load;
  outcome: LossOutcome;
  judged: Judged;
}

async function loseCommits(world: World, { load, outcome, judged }: Under): Promise<void> {
  const fromBlock = Number(await world.chain.call<string>('eth_blockNumber'));
  const lostSince = Date.now();
  await world.database.fallBehind();
  const known = await countSent(world);
  await sleep(lostMs);
  load.expectLoss();
  await world.database.failOver();
  const promotedAt = performance.now();
  load.repeatSince(lostSince);
  const sent = await countSent(world);
  const reasons = await untilHalted(world);
  outcome.seconds.push((performance.now() - promotedAt) / 1_000);
  outcome.lost += sent - known;
  if ((await countSent(world)) !== sent) outcome.broken.push('a wallet has sent more before it halted');
  for (const reason of reasons)
    if (!reason.startsWith('the database server changed')) outcome.broken.push(`a wallet says: ${reason}`);
  const operator = startOperator(world);
  operator.expectLoss(fromBlock);
  const deadline = Date.now() + 2 * haltedWithinMs;
  while ((await operator.isAnyHalted()) && Date.now() < deadline) await sleep(500);
  if (await operator.isAnyHalted()) outcome.broken.push('a wallet was not recovered');
  await operator.stop();
  for (const reason of operator.unexplained) judged.unexplained.add(reason);
  for (const nonce of operator.unpaidNonces) judged.unpaidNonces.add(nonce);
}

/** Why each wallet is halted, once all are. */
async function untilHalted({ deps, wallets }: World): Promise<string[]> {
  for (const deadline = Date.now() + haltedWithinMs; Date.now() < deadline; await sleep(50)) {
    const rows = await deps.db
      .query<{ reason: string }>(
        'select halted_reason as reason from payout_signers where halted_at is not null',
      )
      .catch(() => []);
    if (rows.length === wallets.length) return rows.map(({ reason }) => reason);
  }
  throw new Error(`not every wallet was halted within ${haltedWithinMs / 1_000} s`);
}

/** Transactions of all wallets that the node has, in a block or not. */
async function countSent({ chain, wallets }: World): Promise<number> {
  const counts = await Promise.all(
    wallets.map((wallet) => chain.call<string>('eth_getTransactionCount', wallet, 'pending')),
  );
  return counts.reduce((sum, count) => sum + Number(count), 0);
}
