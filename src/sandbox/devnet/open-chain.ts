import { createEngineAfter } from './archive.ts';
import { Chain } from './chain.ts';
import { type CreateEngine, createEngine } from './engine.ts';
import { DamagedJournal, type Entry, type Genesis, noJournal, openJournal, readJournal } from './journal.ts';
import type { Sent } from './pool.ts';
import { createCollector } from './snapshot.ts';

export interface ChainOptions {
  chainId: number;
  /** Keeps the chain between runs; without one it ends with the process. */
  journalFile?: string;
  /** For tests: keeps the state before each block for as long as the chain lives. */
  canReorganise?: boolean;
  /** Of a new chain: empty blocks leave the base fee as it is. */
  hasSteadyFees?: boolean;
  createEngine?: CreateEngine;
}

/** Continues the chain of the journal, or starts one. */
export async function openChain(options: ChainOptions): Promise<Chain> {
  const { chainId, journalFile, canReorganise = false, createEngine: create = createEngine } = options;
  const { hasSteadyFees: isSteady } = options;
  const [first, ...entries] = (journalFile && readJournal(journalFile)) || [];
  if (first && first.chainId !== chainId) throw new DamagedJournal(`it is of the chain ${first.chainId}`);
  const time = Math.floor(Date.now() / 1000);
  const genesis: Genesis = first ?? {
    kind: 'genesis',
    chainId,
    time,
    ...(isSteady && { hasSteadyFees: true }),
  };
  const hasSteadyFees = genesis.hasSteadyFees ?? false;
  const journal = journalFile ? openJournal(journalFile) : noJournal;
  try {
    if (!first) journal.append(genesis);
    const { snapshot, time: genesisTime } = genesis;
    const engine = await (snapshot
      ? createEngineAfter(snapshot, { chainId, hasSteadyFees, create })
      : create({ chainId, genesisTime, hasSteadyFees }));
    const collector = createCollector(snapshot);
    const chain = new Chain({
      chainId,
      engine,
      genesisTime,
      journal,
      collector,
      canReorganise,
      hasSteadyFees,
    });
    if (snapshot) chain.continueFrom(snapshot, engine);
    for (const entry of entries) await replay(chain, entry);
    // New blocks come quickly at first: after a snapshot, only they have state that can be read.
    chain.blocksSinceTransaction = 0;
    return chain;
  } catch (error) {
    journal.close();
    throw error;
  }
}

async function replay(chain: Chain, entry: Entry): Promise<void> {
  if (entry.kind === 'change') {
    await chain.applyChange(entry.method, entry.params);
  } else if (entry.kind === 'empty') {
    await chain.mineAt(entry.time);
  } else if (entry.kind === 'block') {
    if (entry.baseFee) await chain.setNextBaseFee(entry.baseFee);
    for (const sent of entry.sent) await replaySent(chain, sent);
    const { hash } = await chain.mineAt(entry.time);
    chain.baseFee = undefined;
    if (hash !== entry.hash)
      throw new DamagedJournal(`block ${chain.head.number} differs from the recorded one`);
  } else {
    throw new DamagedJournal('an entry is of an unknown kind');
  }
}

async function replaySent(chain: Chain, sent: Sent): Promise<void> {
  if ('raw' in sent) return void (await chain.submit(sent));
  await chain.ask('hardhat_impersonateAccount', sent.request.from);
  await chain.submit(sent);
  await chain.ask('hardhat_stopImpersonatingAccount', sent.request.from);
}
