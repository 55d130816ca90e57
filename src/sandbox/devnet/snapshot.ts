import { type AccountState, type Engine, type Hex, quantityOf } from './engine.ts';

export interface Block {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  timestamp: Hex;
  stateRoot: Hex;
  baseFeePerGas: Hex;
  transactions: { hash: string }[];
}

export interface TransferLog {
  address: string;
  topics: string[];
  blockNumber: Hex;
}

export interface ArchivedBlock {
  block: Block;
  receipts: { transactionHash: string; logs: TransferLog[] }[];
  /** The signed bytes of its transactions; null for one of an impersonated account. */
  raws: (string | null)[];
}

/** A chain without its history: the state after one block, and the latest blocks up to it. */
export interface Snapshot {
  block: Block;
  nextBaseFee: Hex;
  accounts: AccountState[];
  blocks: ArchivedBlock[];
}

const transactionsKept = 2_000;
const latestKept = 256;
const isZero = (word: Hex) => /^0x0*$/.test(word);

/** What a transaction may have changed, by the engine's tracer. */
type Prestate = Record<string, { storage?: Record<string, Hex> }>;

const prestate = { tracer: 'prestateTracer' };

interface Source extends Engine {
  rawOf(hash: string): string | undefined;
}

/** Collects a snapshot in small steps, so that no request waits for all of it. */
export interface Collector {
  readonly hasMore: boolean;
  /** The transactions of a new block have to be read. */
  noteBlock(number: number, hashes: readonly string[]): void;
  /** Later blocks were replaced. Only before anything is collected. */
  forgetAfter(number: number): void;
  /** A change from outside of any transaction. */
  noteChange(address: string, slot?: string): void;
  /** Reads transactions until there are no more or the time is over. */
  collect(source: Source, milliseconds: number): Promise<void>;
  /** When all transactions are read, and the last block has none. */
  finish(source: Source, head: number): Promise<Snapshot>;
}

/** What is known of an account; what is undefined has to be read. */
interface KnownAccount {
  facts: Pick<AccountState, 'balance' | 'nonce' | 'code'> | undefined;
  slots: Map<string, Hex | undefined>;
  /** The engine keeps an empty account that was changed from outside of a transaction. */
  isKept: boolean;
}

export function createCollector(since: Snapshot | undefined): Collector {
  const accounts = new Map<string, KnownAccount>();
  for (const { address, storage, ...facts } of since?.accounts ?? []) {
    accounts.set(address, { facts, slots: new Map(Object.entries(storage)), isKept: true });
  }
  const blocks = new Map(since?.blocks.map((one) => [Number(one.block.number), one]));
  let unread: { number: number; hash: string }[] = [];

  function note(address: string, slots: readonly string[], isKept: boolean): void {
    const key = address.toLowerCase();
    const known = accounts.get(key) ?? { facts: undefined, slots: new Map(), isKept };
    accounts.set(key, known);
    known.facts = undefined;
    known.isKept ||= isKept;
    for (const slot of slots) known.slots.set(wordOf(slot), undefined);
  }

  async function findBlock(source: Source, number: number): Promise<ArchivedBlock> {
    const known = blocks.get(number);
    if (known) return known;
    const block = await source.ask<Block>('eth_getBlockByNumber', quantityOf(number), true);
    const archived: ArchivedBlock = { block, receipts: [], raws: [] };
    blocks.set(number, archived);
    return archived;
  }

  /** The tracer runs the transactions before it in the block again: 0.04 ms for each of them. */
  async function readTransaction(source: Source, number: number, hash: string): Promise<void> {
    const { receipts, raws } = await findBlock(source, number);
    receipts.push(await source.ask('eth_getTransactionReceipt', hash));
    raws.push(source.rawOf(hash) ?? null);
    const touched = await source.ask<Prestate>('debug_traceTransaction', hash, prestate);
    for (const [address, { storage }] of Object.entries(touched)) {
      note(address, Object.keys(storage ?? {}), false);
    }
  }

  return {
    get hasMore() {
      return unread.length > 0;
    },
    noteBlock: (number, hashes) => void unread.push(...hashes.map((hash) => ({ number, hash }))),
    forgetAfter(number) {
      unread = unread.filter((one) => one.number <= number);
    },
    noteChange: (address, slot) => note(address, slot === undefined ? [] : [slot], true),
    async collect(source, milliseconds) {
      const endsAt = performance.now() + milliseconds;
      let done = 0;
      for (const { number, hash } of unread) {
        await readTransaction(source, number, hash);
        done += 1;
        if (performance.now() > endsAt) break;
      }
      unread = unread.slice(done);
    },
    async finish(source, head) {
      for (let number = Math.max(head - latestKept + 1, 1); number <= head; number += 1) {
        await findBlock(source, number);
      }
      return {
        block: blocks.get(head)!.block,
        nextBaseFee: await nextBaseFee(source),
        accounts: await readAccounts(source, accounts),
        blocks: newestOf([...blocks.values()], head),
      };
    },
  };
}

/** The engine's own, unless somebody has set another. */
export async function nextBaseFee(engine: Engine): Promise<Hex> {
  const history = await engine.ask<{ baseFeePerGas: Hex[] }>('eth_feeHistory', '0x1', 'latest', []);
  return history.baseFeePerGas.at(-1)!;
}

async function readAccounts(engine: Engine, accounts: Map<string, KnownAccount>): Promise<AccountState[]> {
  const read = (method: string, ...params: string[]) => engine.ask<Hex>(method, ...params, 'latest');
  const states: AccountState[] = [];
  for (const [address, known] of accounts) {
    known.facts ??= {
      balance: await read('eth_getBalance', address),
      nonce: await read('eth_getTransactionCount', address),
      code: await read('eth_getCode', address),
    };
    const storage: Record<string, Hex> = {};
    for (const [slot, value] of known.slots) {
      const word = value ?? (await read('eth_getStorageAt', address, slot));
      known.slots.set(slot, word);
      if (!isZero(word)) storage[slot] = word;
    }
    const { balance, nonce, code } = known.facts;
    const isEmpty = isZero(balance) && isZero(nonce) && code === '0x';
    if (!isEmpty || known.isKept) states.push({ address, balance, nonce, code, storage });
  }
  return states;
}

/** The latest blocks whatever is in them, and before those the latest with transactions; in order. */
function newestOf(blocks: readonly ArchivedBlock[], head: number): ArchivedBlock[] {
  const numberOf = ({ block }: ArchivedBlock) => Number(block.number);
  let transactions = 0;
  return blocks
    .toSorted((one, other) => numberOf(other) - numberOf(one))
    .filter((one) => {
      const { length } = one.block.transactions;
      transactions += length;
      return numberOf(one) > head - latestKept || (length > 0 && transactions <= transactionsKept);
    })
    .reverse();
}

const wordOf = (slot: string) => `0x${BigInt(slot).toString(16).padStart(64, '0')}`;
