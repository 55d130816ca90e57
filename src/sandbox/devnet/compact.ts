import { createEngineAfter, type Former } from './archive.ts';
import type { Chain } from './chain.ts';
import { type CreateEngine, createEngine } from './engine.ts';
import { createCollector } from './snapshot.ts';

/** Replaying a transaction takes about 1 ms, and an empty block 0.1 ms. */
const transactionsMax = 1_000;
const blocksMax = 10_000;
const collectedAtOnce = 100;

/**
 * Keeps the journal short, a little at each call: reads the blocks that it has, then puts one snapshot in place of all of
 * them and continues on a new engine. Returns the engine from before, which still has the state of earlier blocks.
 */
export async function compact(
  chain: Chain,
  create: CreateEngine = createEngine,
): Promise<Former | undefined> {
  const { collector, journal, pool, journaled, chainId, head } = chain;
  if (journaled.transactions < transactionsMax && journaled.blocks < blocksMax) return undefined;
  await collector.collect(chain, collectedAtOnce);
  if (collector.hasMore || pool.size > 0) return undefined;
  // A change outside of transactions shows in the state root of the next block only.
  await chain.mine();
  const snapshot = await collector.finish(chain, head.number);
  const former: Former = { engine: chain.engine, head: head.number };
  const engine = await createEngineAfter(snapshot, chainId, create, former);
  journal.restart({ kind: 'genesis', chainId, time: head.time, snapshot });
  chain.continueFrom(snapshot, engine);
  chain.collector = createCollector(snapshot);
  for (const address of chain.impersonated) await chain.ask('hardhat_impersonateAccount', address);
  return former;
}
