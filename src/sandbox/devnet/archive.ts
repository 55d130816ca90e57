import { type CreateEngine, type Engine, quantityOf, RpcError } from './engine.ts';
import { DamagedJournal } from './journal.ts';
import type { ArchivedBlock, Block, Snapshot, TransferLog } from './snapshot.ts';

interface LogFilter {
  fromBlock?: string;
  toBlock?: string;
  blockHash?: string;
  address?: string | string[];
  topics?: (string | string[] | null)[];
}

type Ask = (...params: never[]) => Promise<unknown>;

/** The engine from before a snapshot: it has the state after earlier blocks, until enough new ones exist. */
export interface Former {
  engine: Engine | undefined;
  /** Its last block. */
  head: number;
}

/** An engine that was made from a snapshot, with the blocks from before it. */
function withArchive(engine: Engine, snapshot: Snapshot, former?: Former): Engine {
  const base = Number(snapshot.block.number);
  const { blocks } = snapshot;
  const byNumber = new Map(blocks.map((one) => [Number(one.block.number), one]));
  const byHash = new Map(blocks.map((one) => [keyOf(one.block.hash), one]));
  const transactions = new Map(
    blocks.flatMap(({ block }) => block.transactions.map((transaction) => [transaction.hash, transaction])),
  );
  const receipts = new Map(
    blocks.flatMap((one) => one.receipts.map((receipt) => [receipt.transactionHash, receipt])),
  );
  const readBlock = (block: Block | null, isFull: boolean): unknown => {
    if (!block || Number(block.number) > base + 1) return block;
    if (Number(block.number) === base + 1) return { ...block, parentHash: snapshot.block.hash };
    return present(byNumber.get(Number(block.number)), isFull);
  };
  const methods: Record<string, Ask> = {
    eth_getBlockByNumber: async (number: string, isFull: boolean) =>
      readBlock(await engine.ask('eth_getBlockByNumber', number, isFull), isFull),
    eth_getBlockByHash: async (hash: string, isFull: boolean) =>
      present(byHash.get(keyOf(hash)), isFull) ??
      readBlock(await engine.ask('eth_getBlockByHash', hash, isFull), isFull),
    eth_getTransactionByHash: async (hash: string) =>
      transactions.get(keyOf(hash)) ?? engine.ask('eth_getTransactionByHash', hash),
    eth_getTransactionReceipt: async (hash: string) =>
      receipts.get(keyOf(hash)) ?? engine.ask('eth_getTransactionReceipt', hash),
    async eth_getLogs(filter: LogFilter) {
      const archived = filter.blockHash === undefined ? undefined : byHash.get(keyOf(filter.blockHash));
      if (archived) return logsOf([archived], filter);
      const later = await engine.ask<TransferLog[]>('eth_getLogs', filter);
      if (filter.blockHash !== undefined) return later;
      const head = Number(await engine.ask('eth_blockNumber'));
      const [from, to] = [numberOf(filter.fromBlock, head), numberOf(filter.toBlock, head)];
      const wanted = blocks.filter(({ block }) => Number(block.number) >= from && Number(block.number) <= to);
      return [...logsOf(wanted, filter), ...later];
    },
  };

  return {
    async ask<Result>(method: string, ...params: unknown[]) {
      const own = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (own) return (await own(...(params as never[]))) as Result;
      const place = Object.hasOwn(statePlaces, method) ? statePlaces[method] : undefined;
      const at = place === undefined ? undefined : params[place];
      const number = at === 'earliest' ? 0 : Number(at);
      // A tag, such as latest, is not a number.
      if (at === undefined || !(number < base)) return engine.ask<Result>(method, ...params);
      if (former?.engine) return former.engine.ask<Result>(method, ...params);
      throw new RpcError(-32000, `missing trie node: the state of block ${number} is not kept`);
    },
  };
}

const keyOf = (hash: unknown) => String(hash).toLowerCase();

/** Where a method that reads state has its block. */
const statePlaces: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
};

function numberOf(at: string | undefined, head: number): number {
  if (at === 'earliest') return 0;
  return at?.startsWith('0x') ? Number(at) : head;
}

function present(archived: ArchivedBlock | undefined, isFull: boolean): unknown {
  if (!archived || isFull) return archived?.block ?? null;
  return { ...archived.block, transactions: archived.block.transactions.map(({ hash }) => hash) };
}

function logsOf(blocks: readonly ArchivedBlock[], { address, topics = [] }: LogFilter): TransferLog[] {
  const addresses = address === undefined ? undefined : [address].flat().map((one) => one.toLowerCase());
  const isWanted = (log: TransferLog) =>
    (addresses?.includes(log.address.toLowerCase()) ?? true) &&
    topics.every((topic, at) => topic === null || [topic].flat().map(keyOf).includes(log.topics[at]!));
  return blocks.flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs.filter(isWanted)));
}

/**
 * Creates an engine whose next block follows the snapshot's. Its blocks up to there are empty and cost
 * nothing until they are read. The state root proves that no account and no slot is missing.
 */
export async function createEngineAfter(
  snapshot: Snapshot,
  { chainId, hasSteadyFees, create }: { chainId: number; hasSteadyFees: boolean; create: CreateEngine },
  former?: Former,
): Promise<Engine> {
  const { block, nextBaseFee, accounts } = snapshot;
  const [number, time] = [Number(block.number), Number(block.timestamp)];
  const engine = await create({ chainId, genesisTime: time - number, accounts, hasSteadyFees });
  // Without it the engine reads the clock, and blocks get another hash at each start.
  await engine.ask('evm_setNextBlockTimestamp', time - number + 1);
  if (number > 1) await engine.ask('hardhat_mine', quantityOf(number - 1), '0x1');
  await engine.ask('hardhat_setNextBlockBaseFeePerGas', block.baseFeePerGas);
  await engine.ask('evm_mine', block.timestamp);
  await engine.ask('hardhat_setNextBlockBaseFeePerGas', nextBaseFee);
  const { stateRoot } = await engine.ask<Block>('eth_getBlockByNumber', block.number, false);
  if (stateRoot !== block.stateRoot)
    throw new DamagedJournal(`the state after block ${number} is incomplete`);
  return withArchive(engine, snapshot, former);
}
