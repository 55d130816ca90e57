import type { Former } from './archive.ts';
import { type Engine, type Hex, quantityOf, RpcError } from './engine.ts';
import type { Journal } from './journal.ts';
import { createPool, type Sent } from './pool.ts';
import { type Collector, nextBaseFee, type Snapshot } from './snapshot.ts';

/** A block with the hashes of its transactions. */
export interface Mined {
  number: Hex;
  hash: Hex;
  timestamp: Hex;
  transactions: string[];
}

interface ChainParts {
  chainId: number;
  engine: Engine;
  genesisTime: number;
  journal: Journal;
  collector: Collector;
  canReorganise: boolean;
  hasSteadyFees: boolean;
}

type Transaction = Record<string, string>;

const stateKeptBlocks = 64;

/**
 * One network's blocks, and the transactions that wait for the next. Call its methods within `inTurn`.
 * Waiting transactions are not kept between runs, as with any node.
 */
export class Chain {
  readonly chainId: number;
  readonly hasSteadyFees: boolean;
  readonly journal: Journal;
  readonly pool = createPool();
  /** The signed bytes of a transaction, by its hash. */
  readonly raws = new Map<string, string>();
  readonly impersonated = new Set<string>();
  readonly head: { number: number; time: number };
  /** At n, the engine's snapshot from before block n + 1: of all in tests, else of one. */
  readonly undo: string[] = [];
  readonly #canReorganise: boolean;
  engine: Engine;
  collector: Collector;
  isAutomining = true;
  /** The node does not answer before this time. */
  silentUntil = 0;
  /**
   * Of the next block with a transaction: wanted until there is one, then due before another follows, with
   * where the journal was before it.
   */
  replacement: 'wanted' | { position: number } | undefined;
  blocksSinceTransaction = 0;
  /** How many blocks and transactions the journal has. */
  journaled = { blocks: 0, transactions: 0 };
  /** The engine from before the last compaction, which still has the state after earlier blocks. */
  former: Former | undefined;
  /** Set for the next block, in place of the engine's own. */
  baseFee: Hex | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor({ chainId, engine, genesisTime, journal, collector, ...rules }: ChainParts) {
    this.chainId = chainId;
    this.hasSteadyFees = rules.hasSteadyFees;
    this.engine = engine;
    this.journal = journal;
    this.collector = collector;
    this.head = { number: 0, time: genesisTime };
    this.#canReorganise = rules.canReorganise;
  }

  /** Continues from a snapshot, on an engine that was made from it. */
  continueFrom({ block, nextBaseFee, blocks }: Snapshot, engine: Engine): void {
    this.engine = engine;
    this.head.number = Number(block.number);
    this.head.time = Number(block.timestamp);
    this.baseFee = nextBaseFee;
    this.journaled = { blocks: 0, transactions: 0 };
    this.raws.clear();
    for (const { block, raws } of blocks) {
      for (const [at, { hash }] of block.transactions.entries()) if (raws[at]) this.raws.set(hash, raws[at]);
    }
  }

  /** Runs one piece of work at a time, so that no caller sees a block that is not in the journal yet. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(() => {
      if (this.#isClosed) throw new RpcError(-32000, 'this devnet has stopped');
      return work();
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  ask<Result>(method: string, ...params: unknown[]): Promise<Result> {
    return this.engine.ask(method, ...params);
  }

  async send(sent: Sent): Promise<string> {
    if ('request' in sent && !this.impersonated.has(sent.request.from?.toLowerCase() ?? '')) {
      throw new RpcError(-32000, 'unknown account');
    }
    const hash = await this.submit(sent);
    const { from, nonce, maxFeePerGas, gasPrice } = await this.ask<Transaction>(
      'eth_getTransactionByHash',
      hash,
    );
    const maxFee = BigInt(maxFeePerGas ?? gasPrice!);
    this.pool.add({ hash, sender: from!.toLowerCase(), nonce: Number(nonce), maxFee, sent });
    return hash;
  }

  /** Gives a transaction to the engine only. */
  async submit(sent: Sent): Promise<string> {
    if ('request' in sent) return this.ask('eth_sendTransaction', sent.request);
    const hash = await this.ask<string>('eth_sendRawTransaction', sent.raw);
    this.raws.set(hash, sent.raw);
    return hash;
  }

  /** Skips those that are no longer valid. */
  async sendAgain(sents: readonly Sent[]): Promise<void> {
    for (const sent of sents) await this.send(sent).catch(() => {});
  }

  async countTransactions(sender: string): Promise<{ latest: number; pending: number }> {
    const latest = Number(await this.ask('eth_getTransactionCount', sender, 'latest'));
    return { latest, pending: this.pool.nextNonce(sender.toLowerCase(), latest) };
  }

  rawOf(hash: string): string | undefined {
    return this.raws.get(hash.toLowerCase());
  }

  async mine(time = Math.floor(Date.now() / 1000)): Promise<Mined> {
    const position = this.replacement === 'wanted' ? await this.#remember() : undefined;
    const block = await this.mineAt(Math.max(time, this.head.time));
    await this.#append(block);
    for (const hash of block.transactions) this.pool.remove(hash);
    if (this.pool.size > 0) await this.#removeGone();
    if (position !== undefined && block.transactions.length > 0) this.replacement = { position };
    return block;
  }

  get isReplacementDue(): boolean {
    return typeof this.replacement === 'object';
  }

  /**
   * The next block may be replaced; returns where the journal is. Keeping the state of every block would fill
   * the memory.
   */
  async #remember(): Promise<number> {
    this.undo[this.head.number] = await this.ask('evm_snapshot');
    return this.journal.position();
  }

  /** Mines without a journal entry. */
  async mineAt(time: number): Promise<Mined> {
    const { head, journaled } = this;
    if (this.#canReorganise) this.undo[head.number] = await this.ask('evm_snapshot');
    await this.ask('evm_mine', quantityOf(time));
    head.number += 1;
    head.time = time;
    const block = await this.ask<Mined>('eth_getBlockByNumber', quantityOf(head.number), false);
    const { length } = block.transactions;
    if (this.former && head.number > this.former.head + stateKeptBlocks) this.former.engine = undefined;
    journaled.blocks += 1;
    journaled.transactions += length;
    this.blocksSinceTransaction = length > 0 ? 0 : this.blocksSinceTransaction + 1;
    this.collector.noteBlock(head.number, block.transactions);
    return block;
  }

  async #append({ transactions, hash }: Mined): Promise<void> {
    const { time } = this.head;
    const { baseFee } = this;
    this.baseFee = undefined;
    if (transactions.length === 0 && baseFee === undefined) {
      this.journal.append({ kind: 'empty', time });
      return;
    }
    const sent: Sent[] = [];
    for (const one of transactions) sent.push(await this.#readSent(one));
    this.journal.append({ kind: 'block', time, sent, hash, ...(baseFee && { baseFee }) });
  }

  /** A request is completed with what the engine filled in. */
  async #readSent(hash: string): Promise<Sent> {
    const raw = this.raws.get(hash);
    if (raw !== undefined) return { raw };
    const { type, from, to, input, value, gas, nonce, accessList, authorizationList, ...fees } =
      await this.ask<Transaction>('eth_getTransactionByHash', hash);
    const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = fees;
    const request = {
      type,
      from,
      to,
      data: input,
      value,
      gas,
      nonce,
      accessList,
      authorizationList,
      ...(maxFeePerGas === undefined ? { gasPrice } : { maxFeePerGas, maxPriorityFeePerGas }),
    };
    return { request: JSON.parse(JSON.stringify(request)) };
  }

  /** The engine drops a transaction whose sender can no longer pay for it. */
  async #removeGone(): Promise<void> {
    const waiting = await this.ask<{ hash: string }[]>('eth_pendingTransactions');
    const known = new Set(waiting.map(({ hash }) => hash));
    for (const { hash } of this.pool.all()) if (!known.has(hash)) this.pool.remove(hash);
  }

  /** Mines until nothing waits that a block would include. */
  async mineWaiting(): Promise<void> {
    while (!this.isReplacementDue && this.pool.size > 0 && (await this.#hasReady())) {
      if ((await this.mine()).transactions.length === 0) return;
    }
  }

  /** Whether the next transaction of any sender pays the next block's base fee. */
  async #hasReady(): Promise<boolean> {
    const fee = BigInt(this.baseFee ?? (await nextBaseFee(this.engine)));
    for (const sender of this.pool.senders()) {
      const next = this.pool.at(sender, (await this.countTransactions(sender)).latest);
      if (next && next.maxFee >= fee) return true;
    }
    return false;
  }

  async setNextBaseFee(fee: Hex): Promise<void> {
    await this.ask('hardhat_setNextBlockBaseFeePerGas', fee);
    this.baseFee = fee;
  }

  async setImpersonated(address: string, isImpersonated: boolean): Promise<void> {
    const method = isImpersonated ? 'hardhat_impersonateAccount' : 'hardhat_stopImpersonatingAccount';
    await this.ask(method, address);
    if (isImpersonated) this.impersonated.add(address.toLowerCase());
    else this.impersonated.delete(address.toLowerCase());
  }

  /** Changes the state outside of transactions. */
  async change(method: string, params: unknown[]): Promise<unknown> {
    const result = await this.applyChange(method, params);
    this.journal.append({ kind: 'change', method, params });
    if (this.pool.size > 0) await this.#removeGone();
    return result;
  }

  async applyChange(method: string, params: unknown[]): Promise<unknown> {
    const result = await this.ask(method, ...params);
    const [address, slot] = params.map(String);
    this.collector.noteChange(address!, method === 'hardhat_setStorageAt' ? slot : undefined);
    return result;
  }

  async drop(hash: string): Promise<boolean> {
    this.pool.remove(hash);
    return this.ask('hardhat_dropTransaction', hash);
  }

  async dropAll(): Promise<void> {
    const waiting = await this.ask<{ hash: string }[]>('eth_pendingTransactions');
    for (const { hash } of waiting) await this.ask('hardhat_dropTransaction', hash).catch(() => {});
    this.pool.clear();
  }

  close(): void {
    this.#isClosed = true;
    this.journal.close();
  }
}
