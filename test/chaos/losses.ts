import { setTimeout as sleep } from 'node:timers/promises';
import type { Replacement } from './database.ts';
import type { Load } from './load.ts';
import type { ChaosOperator } from './operator.ts';
import type { Random } from './random.ts';
import type { Workers } from './workers.ts';
import type { World } from './world.ts';

/**
 * Commits that are lost: a failover to a standby that lacks the last seconds, and a restore from an older
 * backup.
 */
export interface Losses {
  failovers: number;
  restores: Record<Exclude<Replacement, 'promotion'>, number>;
  /** What went wrong that was not meant to. */
  accidents: string[];
  stop(): Promise<void>;
}

export interface LossOptions {
  world: World;
  random: Random;
  workers: Workers;
  load: Load;
  operator: ChaosOperator;
  /** Average seconds from the end of the recovery after a loss to the next loss. */
  lossEvery: number;
  /** In this order, again and again. */
  order: readonly Replacement[];
  /** Age of a backup when it is restored. */
  backupSeconds: { least: number; most: number };
  /** How often the workers survive a failover and connect to the new server. */
  survivalChance: number;
}

/** What the standby lacks, and until something was signed meanwhile. */
const lagMs = { least: 500, most: 6_000 };

/** In this time the workers see another server, and halt their wallets. */
const noticedMs = 3_000;

/** On a busy machine nothing may be signed for a while; then the server is replaced all the same. */
const signedWithinMs = 20_000;

export function startLosses(options: LossOptions): Losses {
  const { world, random, workers, load, operator, lossEvery, order, backupSeconds, survivalChance } = options;
  const ended = new AbortController();
  const losses: Losses = {
    failovers: 0,
    restores: { recovery: 0, files: 0 },
    accidents: [],
    async stop() {
      ended.abort();
      await running;
    },
  };
  const running = keepLosing().catch((error) => {
    losses.accidents.push(`a copy did not take the server's place: ${error}`);
  });
  return losses;

  async function keepLosing(): Promise<void> {
    if (lossEvery === Number.POSITIVE_INFINITY) return;
    for (let at = 0; ; ) {
      await pause(noticedMs);
      await untilPaying();
      await pause(random.between(lossEvery * 500, lossEvery * 1_500));
      await untilPaying();
      if (ended.signal.aborted) return;
      if (await lose(order[at % order.length]!)) at += 1;
    }
  }

  /** A loss while nothing is paid would show nothing. */
  async function untilPaying(): Promise<void> {
    while (!ended.signal.aborted && (await operator.isAnyHalted())) await pause(500);
  }

  /** False if the chain does not answer. */
  async function lose(by: Replacement): Promise<boolean> {
    // Read first: a busy machine may answer late, and no server waits for it then.
    const fromBlock = await world.chain.call<string>('eth_blockNumber').then(Number, () => undefined);
    if (fromBlock === undefined) return false;
    const copiedAt = Date.now();
    const copy = await world.database.copy();
    const { least, most } = backupSeconds;
    const signedBefore = await countSigned();
    await pause(
      by === 'promotion'
        ? random.between(lagMs.least, lagMs.most)
        : random.between(least * 1_000, most * 1_000),
    );
    const deadline = Date.now() + signedWithinMs;
    while (Date.now() < deadline && !((await countSigned()) > signedBefore)) await pause(200);
    const areKilled = by === 'files' || !random.chance(survivalChance);
    load.expectLoss();
    operator.expectLoss(fromBlock);
    if (areKilled) await workers.pause();
    await world.database.replace(copy, by);
    // Only the operator knows that these files are older than the chain: workers must not see them before
    // they are halted.
    if (by === 'files') await operator.haltAll();
    if (areKilled) workers.resume();
    load.repeatSince(copiedAt);
    if (by === 'promotion') losses.failovers += 1;
    else losses.restores[by] += 1;
    return true;
  }

  /** NaN while PostgreSQL is away. */
  async function countSigned(): Promise<number> {
    const rows = await world.deps.db
      .query<{ next: bigint }>('select coalesce(sum(next_nonce), 0) as next from payout_signers')
      .catch(() => []);
    return Number(rows[0]?.next);
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: ended.signal }).catch(() => {});
  }
}
