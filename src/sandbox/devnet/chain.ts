import { type Former, withArchive } from './archive.ts';
import { type CreateEngine, createEngine, type Engine, type Hex, RpcError } from './engine.ts';
import {
  DamagedJournal,
  type Entry,
  type Genesis,
  type Journal,
  noJournal,
  openJournal,
  readJournal,
} from './journal.ts';
import { createPool, type Pool, type Sent } from './pool.ts';
import { type Block, createCollector, nextBaseFee, type Snapshot } from './snapshot.ts';

export interface ChainOptions {
  chainId: number;
  /** Where the chain is kept between runs; without one it ends with the process. */
  journalFile?: string;
  /** For tests: the state before each block is kept, for as long as the chain lives. */
  canReorganise?: boolean;
  createEngine?: CreateEngine;
}

/** A block with the hashes of its transactions. */
type Mined = Omit<Block, 'transactions'> & { transactions: string[] };

export interface Chain {
  readonly chainId: number;
  readonly head: { number: number; time: number };
  readonly pool: Pool;
  isAutomining: boolean;
  /** How many blocks there are since the last with a transaction, or since the start. */
  readonly blocksSinceTransaction: number;
  /** One thing at a time, and nobody sees a block that the journal does not have. Everything below is called within it. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  ask<Result>(method: string, ...params: unknown[]): Promise<Result>;
  send(sent: Sent): Promise<string>;
  /** In the state after the latest block and with everything that waits. */
  countTransactions(sender: string): Promise<{ latest: number; pending: number }>;
  rawOf(hash: string): string | undefined;
  mine(time?: number): Promise<Mined>;
  /** Mines until nothing waits that a block would take. */
  mineWaiting(): Promise<void>;
  setNextBaseFee(fee: Hex): Promise<void>;
  setImpersonated(address: string, isImpersonated: boolean): Promise<void>;
  /** A change of the state outside of transactions. */
  change(method: string, params: unknown[]): Promise<unknown>;
  drop(hash: string): Promise<boolean>;
  dropAll(): Promise<void>;
  /** Replaces the last blocks by as many others, which have only what `kept` puts into them, counted from the first. */
  reorganise(depth: number, kept?: readonly [sent: Sent, block: number][]): Promise<void>;
  /** Does some of the work that keeps the journal short, when there is any. */
  compact(): Promise<void>;
  close(): void;
}

/** What making the chain again from its journal costs, in transactions; a block alone is about a tenth of one. */
const costMax = 1_000;
const costOfBlock = 0.1;
const collectedAtOnce = 100;
const stateKeptBlocks = 64;

const quantityOf = (number: number): Hex => `0x${number.toString(16)}`;
const nowInSeconds = () => Math.floor(Date.now() / 1000);

/** Continues the chain of the journal, or begins one. */
export async function openChain(options: ChainOptions): Promise<Chain> {
  const { chainId, journalFile } = options;
  const [first, ...entries] = (journalFile && readJournal(journalFile)) || [];
  if (first && first.chainId !== chainId) throw new DamagedJournal(`it is of the chain ${first.chainId}`);
  const genesis: Genesis = first ?? { kind: 'genesis', chainId, time: nowInSeconds() };
  const journal = journalFile ? openJournal(journalFile) : noJournal;
  try {
    if (!first) journal.append(genesis);
    return await makeChain(options, journal, genesis, entries);
  } catch (error) {
    journal.close();
    throw error;
  }
}

async function makeChain(
  { chainId, journalFile, canReorganise = false, createEngine: create = createEngine }: ChainOptions,
  journal: Journal,
  genesis: Genesis,
  entries: readonly Entry[],
): Promise<Chain> {
  const pool = createPool();
  const raws = new Map<string, string>();
  const impersonated = new Set<string>();
  /** At n, what brings back the state before block n + 1. */
  const undo: string[] = [];
  const head = { number: 0, time: genesis.time };
  let engine: Engine;
  let former: Former | undefined;
  let baseFeeSet: Hex | undefined;
  let blocksSinceTransaction = 0;
  let cost = 0;
  let collector = createCollector((hash) => raws.get(hash), genesis.snapshot);
  const ask: Chain['ask'] = (method, ...params) => engine.ask(method, ...params);

  function adopt(begun: Engine, snapshot: Snapshot): void {
    engine = begun;
    head.number = Number(snapshot.block.number);
    head.time = Number(snapshot.block.timestamp);
    baseFeeSet = snapshot.nextBaseFee;
    raws.clear();
    for (const { block, raws: signed } of snapshot.blocks) {
      for (const [at, { hash }] of block.transactions.entries()) if (signed[at]) raws.set(hash, signed[at]);
    }
  }

  async function send(sent: Sent): Promise<string> {
    if ('request' in sent && !impersonated.has(sent.request.from?.toLowerCase() ?? '')) {
      throw new RpcError(-32000, 'unknown account');
    }
    const hash = await ('raw' in sent
      ? ask<string>('eth_sendRawTransaction', sent.raw)
      : ask<string>('eth_sendTransaction', sent.request));
    if ('raw' in sent) raws.set(hash, sent.raw);
    const { from, nonce, maxFeePerGas, gasPrice } = await ask<Record<string, string>>(
      'eth_getTransactionByHash',
      hash,
    );
    const maxFee = BigInt(maxFeePerGas ?? gasPrice!);
    pool.add({ hash, sender: from!.toLowerCase(), nonce: Number(nonce), maxFee, sent });
    return hash;
  }

  async function mineBlock(time: number): Promise<Mined> {
    if (canReorganise) undo[head.number] = await ask('evm_snapshot');
    await ask('evm_mine', quantityOf(time));
    head.number += 1;
    head.time = time;
    const block = await ask<Mined>('eth_getBlockByNumber', quantityOf(head.number), false);
    if (former && head.number > former.head + stateKeptBlocks) former.engine = undefined;
    cost += block.transactions.length + costOfBlock;
    blocksSinceTransaction += 1;
    if (block.transactions.length > 0) {
      blocksSinceTransaction = 0;
      collector.noteBlock(head.number);
    }
    return block;
  }

  async function mine(time = nowInSeconds()): Promise<Mined> {
    const block = await mineBlock(Math.max(time, head.time));
    const baseFee = baseFeeSet;
    baseFeeSet = undefined;
    if (block.transactions.length === 0 && baseFee === undefined) {
      journal.append({ kind: 'empty', time: head.time });
    } else {
      const sent: Sent[] = [];
      for (const hash of block.transactions) sent.push(await readSent(hash));
      journal.append({ kind: 'block', time: head.time, sent, hash: block.hash, ...(baseFee && { baseFee }) });
    }
    for (const hash of block.transactions) pool.remove(hash);
    if (pool.size > 0) await removeGone();
    return block;
  }

  /** Of a request, with everything that the engine filled in. */
  async function readSent(hash: string): Promise<Sent> {
    const raw = raws.get(hash);
    if (raw !== undefined) return { raw };
    const sent = await ask<Record<string, string>>('eth_getTransactionByHash', hash);
    const { from, to, input, value, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } = sent;
    const request = { from, to, data: input, value, gas, nonce, maxFeePerGas, maxPriorityFeePerGas };
    return { request: JSON.parse(JSON.stringify(request)) };
  }

  /** The engine drops what has become impossible. */
  async function removeGone(): Promise<void> {
    const waiting = await ask<{ hash: string }[]>('eth_pendingTransactions');
    const known = new Set(waiting.map(({ hash }) => hash));
    for (const { hash } of pool.all()) if (!known.has(hash)) pool.remove(hash);
  }

  const countLatest = async (sender: string) =>
    Number(await ask('eth_getTransactionCount', sender, 'latest'));

  /** Whether the next transaction of any sender offers what the next block asks for. */
  async function hasReady(): Promise<boolean> {
    const fee = BigInt(baseFeeSet ?? (await nextBaseFee(engine)));
    for (const sender of pool.senders()) {
      const next = pool.at(sender, await countLatest(sender));
      if (next && next.maxFee >= fee) return true;
    }
    return false;
  }

  async function dropAll(): Promise<void> {
    const waiting = await ask<{ hash: string }[]>('eth_pendingTransactions');
    for (const { hash } of waiting) await ask('hardhat_dropTransaction', hash).catch(() => {});
    pool.clear();
  }

  /** Without those that no longer fit. */
  async function sendAgain(sents: readonly Sent[]): Promise<void> {
    for (const sent of sents) await send(sent).catch(() => {});
  }

  async function replay(entry: Entry): Promise<void> {
    if (entry.kind === 'deed') {
      await ask(entry.method, ...entry.params);
      noteDeed(entry.method, entry.params);
    } else if (entry.kind === 'empty') {
      await mineBlock(entry.time);
    } else if (entry.kind === 'block') {
      if (entry.baseFee) await ask('hardhat_setNextBlockBaseFeePerGas', entry.baseFee);
      for (const sent of entry.sent) await replaySent(sent);
      const { hash } = await mineBlock(entry.time);
      if (hash !== entry.hash) throw new DamagedJournal(`block ${head.number} is not the one of that time`);
    } else {
      throw new DamagedJournal('it has an entry of an unknown kind');
    }
  }

  async function replaySent(sent: Sent): Promise<void> {
    if ('raw' in sent) {
      raws.set(await ask('eth_sendRawTransaction', sent.raw), sent.raw);
      return;
    }
    await ask('hardhat_impersonateAccount', sent.request.from);
    await ask('eth_sendTransaction', sent.request);
    await ask('hardhat_stopImpersonatingAccount', sent.request.from);
  }

  function noteDeed(method: string, [address, slot]: unknown[]): void {
    collector.note(String(address), method === 'hardhat_setStorageAt' ? String(slot) : undefined);
  }

  /** The same chain on a new engine, and in a journal that begins here. */
  async function restartAfter(snapshot: Snapshot): Promise<void> {
    const waiting = pool.all().map(({ sent }) => sent);
    const before: Former = { engine, head: head.number };
    const begun = await beginAfter(create, chainId, snapshot, before);
    journal.restart({ ...genesis, snapshot });
    adopt(begun, snapshot);
    former = before;
    cost = 0;
    collector = createCollector((hash) => raws.get(hash), snapshot);
    pool.clear();
    for (const address of impersonated) await ask('hardhat_impersonateAccount', address);
    await sendAgain(waiting);
  }

  if (genesis.snapshot) adopt(await beginAfter(create, chainId, genesis.snapshot), genesis.snapshot);
  else engine = await create({ chainId, genesisTime: genesis.time });
  for (const entry of entries) await replay(entry);
  blocksSinceTransaction = 0;

  let last: Promise<unknown> = Promise.resolve();
  return {
    chainId,
    head,
    pool,
    isAutomining: true,
    get blocksSinceTransaction() {
      return blocksSinceTransaction;
    },
    inTurn(work) {
      const turn = last.then(work);
      last = turn.catch(() => {});
      return turn;
    },
    ask,
    send,
    async countTransactions(sender) {
      const latest = await countLatest(sender);
      return { latest, pending: pool.nextNonce(sender.toLowerCase(), latest) };
    },
    rawOf: (hash) => raws.get(hash.toLowerCase()),
    mine,
    async mineWaiting() {
      while (pool.size > 0 && (await hasReady())) {
        if ((await mine()).transactions.length === 0) return;
      }
    },
    async setNextBaseFee(fee) {
      await ask('hardhat_setNextBlockBaseFeePerGas', fee);
      baseFeeSet = fee;
    },
    async setImpersonated(address, isImpersonated) {
      const method = isImpersonated ? 'hardhat_impersonateAccount' : 'hardhat_stopImpersonatingAccount';
      await ask(method, address);
      if (isImpersonated) impersonated.add(address.toLowerCase());
      else impersonated.delete(address.toLowerCase());
    },
    async change(method, params) {
      const result = await ask(method, ...params);
      noteDeed(method, params);
      journal.append({ kind: 'deed', method, params });
      if (pool.size > 0) await removeGone();
      return result;
    },
    async drop(hash) {
      pool.remove(hash);
      return ask('hardhat_dropTransaction', hash);
    },
    dropAll,
    async reorganise(depth, kept = []) {
      const id = undo[head.number - depth];
      if (id === undefined || depth < 1) throw new RpcError(-32602, `cannot replace ${depth} blocks`);
      const waiting = pool.all().map(({ sent }) => sent);
      if (!(await ask('evm_revert', id))) throw new RpcError(-32603, 'the engine lost the way back');
      const { time } = head;
      head.number -= depth;
      undo.length = head.number;
      head.time = Number((await ask<Mined>('eth_getBlockByNumber', 'latest', false)).timestamp);
      // The way back brought what waited then.
      await dropAll();
      for (let at = 0; at < depth; at += 1) {
        for (const [sent, block] of kept) if (block === at) await send(sent);
        await mine(time + 1 + at);
      }
      await sendAgain(waiting);
    },
    async compact() {
      if (!journalFile || cost < costMax) return;
      await collector.collect(engine, collectedAtOnce);
      if (collector.hasMore || pool.size > 0) return;
      // What was changed outside of transactions is in the state of the next block.
      await mine();
      await restartAfter(await collector.finish(engine, head.number));
    },
    close: () => journal.close(),
  };
}

/**
 * An engine whose next block follows the snapshot's. Its blocks up to there are empty and cost nothing, as nobody reads them. The
 * root of the state proves that no account and no slot is missing.
 */
async function beginAfter(
  create: CreateEngine,
  chainId: number,
  snapshot: Snapshot,
  former?: Former,
): Promise<Engine> {
  const { block, nextBaseFee, accounts } = snapshot;
  const [number, time] = [Number(block.number), Number(block.timestamp)];
  const engine = await create({ chainId, genesisTime: time - number, accounts });
  if (number > 1) await engine.ask('hardhat_mine', quantityOf(number - 1), '0x1');
  await engine.ask('hardhat_setNextBlockBaseFeePerGas', block.baseFeePerGas);
  await engine.ask('evm_mine', block.timestamp);
  await engine.ask('hardhat_setNextBlockBaseFeePerGas', nextBaseFee);
  const { stateRoot } = await engine.ask<Block>('eth_getBlockByNumber', block.number, false);
  if (stateRoot !== block.stateRoot) throw new DamagedJournal(`the state after block ${number} is another`);
  return withArchive(engine, snapshot, former);
}
