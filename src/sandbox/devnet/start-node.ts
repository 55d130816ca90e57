import { existsSync, renameSync } from 'node:fs';
import { reasonOf, StartupError } from '#platform/errors/startup-error';
import type { Log } from '#platform/observe/log';
import type { Chain } from './chain.ts';
import { compact } from './compact.ts';
import type { CreateEngine } from './engine.ts';
import { DamagedJournal } from './journal.ts';
import { openChain } from './open-chain.ts';
import { mineNext } from './reorganise.ts';
import { serveChain } from './rpc-server.ts';

export interface NodeOptions {
  network: string;
  chainId: number;
  /** Keeps the chain between runs. */
  journalFile: string;
  /** Of a new chain: empty blocks leave the base fee as it is. */
  hasSteadyFees?: boolean;
  log: Log;
  createEngine?: CreateEngine;
  /**
   * How often blocks come, and how long a step may take before the engine counts as stuck: on a laptop with
   * other work to do, replacing a long journal has taken more than ten seconds.
   */
  timing?: Partial<NodeTiming>;
}

interface NodeTiming {
  beatMs: number;
  idleMs: number;
  stuckMs: number;
}

export interface DevnetNode {
  rpcUrl: string;
  /** Resolves when the node has stopped answering and could not be restarted. */
  lost: Promise<StartupError>;
  stop(): Promise<void>;
}

const usualTiming: NodeTiming = { beatMs: 1_000, idleMs: 30_000, stuckMs: 60_000 };
const blocksAfterTransaction = 64;
const restartsMax = 3;
const restartsWithinMs = 60_000;

/**
 * Starts one network on the chain that an earlier run left. A transaction is mined at once. A block a second
 * follows until 64 lie on it, then one every thirty seconds, so that a sandbox that idles for a week stays
 * small.
 */
export async function startNode(options: NodeOptions): Promise<DevnetNode> {
  const { network, log } = options;
  const { beatMs, idleMs, stuckMs } = { ...usualTiming, ...options.timing };
  let opening = openOrSetAside(options);
  let chain = await opening;
  let minedAt = Date.now();
  let canCompact = true;
  let isStopping = false;
  let restarts: number[] = [];
  const { promise: lost, resolve: lose } = Promise.withResolvers<StartupError>();
  const server = await serveChain(() => opening).catch((error) => {
    chain.close();
    throw error;
  });

  async function beat(of: Chain): Promise<void> {
    await of.inTurn(async () => {
      const isQuick = of.blocksSinceTransaction < blocksAfterTransaction;
      if (!of.isAutomining || (!isQuick && Date.now() - minedAt < idleMs)) return;
      await mineNext(of);
      minedAt = Date.now();
    });
    // Other work runs between two slices.
    const endsAt = Date.now() + beatMs / 2;
    while (canCompact && (await of.inTurn(() => compact(of, options.createEngine)).catch(keepLongJournal))) {
      if (Date.now() > endsAt) return;
    }
  }

  function keepLongJournal(error: unknown): false {
    canCompact = false;
    log.warn(
      { network, reason: reasonOf(error) },
      'the devnet’s journal cannot be compacted; later starts take longer',
    );
    return false;
  }

  async function restart(cause: unknown): Promise<void> {
    if (isStopping) return;
    log.error({ network, reason: reasonOf(cause) }, 'a devnet stopped answering; restarting it');
    const now = Date.now();
    restarts = [...restarts.filter((at) => now - at < restartsWithinMs), now];
    chain.close();
    try {
      if (restarts.length > restartsMax) throw cause;
      // Damage found now is not set aside: an empty chain would lack the tokens.
      opening = openChain(options);
      // A waiting request gets no answer if it fails.
      opening.catch(() => {});
      chain = await within(stuckMs, opening);
      canCompact = true;
    } catch (error) {
      stopBeats();
      lose(
        new StartupError(`The ${network} devnet stopped answering: ${reasonOf(error)}.`, { cause: error }),
      );
    }
  }

  let isBusy = false;
  const timer = setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    await within(stuckMs, beat(chain)).catch(restart);
    isBusy = false;
  }, beatMs).unref();
  const stopBeats = () => clearInterval(timer);

  return {
    rpcUrl: server.url,
    lost,
    async stop() {
      isStopping = true;
      stopBeats();
      await server.stop();
      // A write in progress is completed.
      await within(
        Math.min(stuckMs, 10_000),
        chain.inTurn(async () => {}),
      ).catch(() => {});
      chain.close();
    },
  };
}

async function openOrSetAside(options: NodeOptions): Promise<Chain> {
  try {
    return await openChain(options);
  } catch (error) {
    if (!(error instanceof DamagedJournal) || !existsSync(options.journalFile)) throw error;
    const { network, journalFile, log } = options;
    const movedTo = `${journalFile}.damaged-${Date.now()}`;
    renameSync(journalFile, movedTo);
    log.warn(
      { network, movedTo, reason: error.message },
      'the devnet’s journal is damaged; starting on an empty chain',
    );
    return openChain(options);
  }
}

async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const words = `no answer within ${milliseconds / 1_000} seconds`;
    timer = setTimeout(() => reject(new Error(words)), milliseconds);
  });
  return Promise.race([work, tooLong]).finally(() => clearTimeout(timer));
}
