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

/** The engine that a snapshot was made from, for as long as somebody may ask for the state after a block before it. */
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
  const byHash = new Map(blocks.map((one) => [one.block.hash as string, one]));
  const transactions = new Map(
    blocks.flatMap(({ block }) => block.transactions.map((transaction) => [transaction.hash, transaction])),
  );
  const receipts = new Map(
    blocks.flatMap((one) => one.receipts.map((receipt) => [receipt.transactionHash, receipt])),
  );
  const { ask } = engine;

  const methods: Record<string, Ask> = {
    async eth_getBlockByNumber(number: string, isFull: boolean) {
      const block = await ask<Block | null>('eth_getBlockByNumber', number, isFull);
      if (!block || Number(block.number) > base + 1) return block;
      if (Number(block.number) === base + 1) return { ...block, parentHash: snapshot.block.hash };
      return present(byNumber.get(Number(block.number)), isFull);
    },
    eth_getBlockByHash: async (hash: string, isFull: boolean) =>
      present(byHash.get(hash), isFull) ?? ask('eth_getBlockByHash', hash, isFull),
    eth_getTransactionByHash: async (hash: string) =>
      transactions.get(hash) ?? ask('eth_getTransactionByHash', hash),
    eth_getTransactionReceipt: async (hash: string) =>
      receipts.get(hash) ?? ask('eth_getTransactionReceipt', hash),
    async eth_getLogs(filter: LogFilter) {
      const archived = filter.blockHash === undefined ? undefined : byHash.get(filter.blockHash);
      if (archived) return logsOf([archived], filter);
      const head = Number(await ask('eth_blockNumber'));
      const [from, to] = [filter.fromBlock, filter.toBlock].map((at) => numberOf(at, head));
      const wanted = blocks.filter(
        ({ block }) => Number(block.number) >= from! && Number(block.number) <= to!,
      );
      const later = await ask<TransferLog[]>('eth_getLogs', filter);
      return filter.blockHash === undefined ? [...logsOf(wanted, filter), ...later] : later;
    },
  };

  return {
    async ask<Result>(method: string, ...params: unknown[]) {
      const own = methods[method];
      if (own) return (await own(...(params as never[]))) as Result;
      const place = statePlaces[method];
      const at = place === undefined ? undefined : params[place];
      if (typeof at !== 'string' || !at.startsWith('0x') || Number(at) >= base) {
        return ask<Result>(method, ...params);
      }
      if (former?.engine) return former.engine.ask<Result>(method, ...params);
      throw new RpcError(-32000, `missing trie node: the state of block ${Number(at)} is not kept`);
    },
  };
}

/** Where a method that reads state has its block. */
const statePlaces: Record<string, number> = {
  ...{ eth_call: 1, eth_estimateGas: 1, eth_getBalance: 1, eth_getCode: 1, eth_getTransactionCount: 1 },
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
    topics.every((topic, at) => topic === null || [topic].flat().includes(log.topics[at]!));
  return blocks.flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs.filter(isWanted)));
}

/**
 * An engine whose next block follows the snapshot's. Its blocks up to there are empty and cost nothing, as nobody reads them. The
 * state root proves that no account and no slot is missing.
 */
export async function createEngineAfter(
  snapshot: Snapshot,
  chainId: number,
  create: CreateEngine,
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
  if (stateRoot !== block.stateRoot)
    throw new DamagedJournal(`the state after block ${number} is incomplete`);
  return withArchive(engine, snapshot, former);
}
