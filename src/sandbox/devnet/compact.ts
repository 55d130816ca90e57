import { createEngineAfter, type Former } from './archive.ts';
import type { Chain } from './chain.ts';
import { type CreateEngine, createEngine } from './engine.ts';
import { createCollector } from './snapshot.ts';

/** Replaying a transaction takes about 1 ms, and an empty block 0.1 ms. */
const transactionsMax = 1_000;
const blocksMax = 2_000;
const sliceMs = 20;

/**
 * Keeps the journal short, a little at each call: reads what is in it, then replaces everything by one
 * snapshot and continues on a new engine. Returns whether there is more to read.
 */
export async function compact(chain: Chain, create: CreateEngine = createEngine): Promise<boolean> {
  const { collector, journal, pool, journaled, chainId, hasSteadyFees, head } = chain;
  if (journaled.transactions < transactionsMax && journaled.blocks < blocksMax) return false;
  if (chain.isReplacementDue) return false;
  await collector.collect(chain, sliceMs);
  if (collector.hasMore) return true;
  const waiting = pool.all().map(({ sent }) => sent);
  await chain.dropAll();
  try {
    // A change outside of transactions shows in the state root of the next block only.
    await chain.mine();
    const snapshot = await collector.finish(chain, head.number);
    if (chain.former) chain.former.engine = undefined;
    const former: Former = { engine: chain.engine, head: head.number };
    const engine = await createEngineAfter(snapshot, { chainId, hasSteadyFees, create }, former);
    journal.restart({ kind: 'genesis', chainId, time: head.time, hasSteadyFees, snapshot });
    chain.continueFrom(snapshot, engine);
    chain.former = former;
    chain.collector = createCollector(snapshot);
    for (const address of chain.impersonated) await chain.ask('hardhat_impersonateAccount', address);
  } finally {
    await chain.sendAgain(waiting);
  }
  return false;
}
