import { batchCalls } from './batch-calls.ts';
import { type Block, readBlock, readBlocks } from './blocks.ts';
import { malformed, readHex, readNumber, toQuantity, toWord } from './hex.ts';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';
import { type Receipt, transferTopic } from './receipts.ts';

/** A Transfer of a token in a block of the canonical chain. All hexadecimal in lower case. */
export interface ReceivedTransfer {
  token: string;
  from: string;
  to: string;
  amount: bigint;
  transactionHash: string;
  /** Its index among all logs of the block. */
  logIndex: number;
  blockNumber: number;
  blockHash: string;
  /** The block's time. */
  at: Date;
}

export interface ReceivedRange {
  tokens: readonly string[];
  fromBlock: number;
  toBlock: number;
  /** Also those that our addresses sent. */
  isWithSent?: boolean;
  /** Selects our addresses. Called for each slice, so that transfers to others are not kept in memory. */
  selectOurs(addresses: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface Received {
  /** The last block of the range. */
  end: Block;
  /** In chain order. */
  transfers: ReceivedTransfer[];
}

/** Hosted nodes refuse logs of more blocks than this in one call. */
const blocksInCall = 2_000;
/**
 * A busy token has hundreds of transfers a block: a first slice of 2,000 blocks could be hundreds of
 * megabytes.
 */
const blocksInFirstCall = 50;
/**
 * A slice with fewer logs than the first figure makes the next one longer, one with more than the second
 * makes it shorter.
 */
const [fewLogs, manyLogs] = [2_500, 10_000];

const method = 'eth_getLogs';

/**
 * Every Transfer of the tokens to our addresses, or also from them, in a range of blocks, each in a block
 * that the node has in its chain. The node is asked for all transfers of the tokens, so the number of calls
 * does not grow with the number of wallets. Undefined if the node lacks the last block of the range: for
 * blocks that it has not seen, a node answers with no logs, so that block is requested in the same batch as
 * the logs. Throws a `NodeError`.
 */
export async function readReceivedTransfers(
  provider: Provider,
  range: ReceivedRange,
): Promise<Received | undefined> {
  const logs: Log[] = [];
  let [blocks, blocksMax] = [blocksInFirstCall, blocksInCall];
  let end: Block | undefined;
  for (let first = range.fromBlock; first <= range.toBlock; ) {
    const last = Math.min(first + blocks - 1, range.toBlock);
    const slice = await readSlice(provider, range, first, last);
    if (slice === 'too large') {
      blocksMax = blocks = Math.ceil((last - first + 1) / 2);
      continue;
    }
    if (!slice) return undefined;
    if (end && end.hash !== slice.end.hash) throw changed();
    end = slice.end;
    logs.push(...slice.ours);
    if (slice.count < fewLogs) blocks = Math.min(blocks * 2, blocksMax);
    else if (slice.count > manyLogs) blocks = Math.ceil(blocks / 2);
    first = last + 1;
  }
  if (!end) throw new RangeError('a range has a block or more');
  return { end, transfers: await placeInBlocks(provider, end, logs) };
}

type Log = Omit<ReceivedTransfer, 'at'>;

interface Slice {
  end: Block;
  /** Number of logs in the node's answer. */
  count: number;
  ours: Log[];
}

/** Undefined if the node lacks the last block of the range; `too large` if it may answer for fewer blocks. */
async function readSlice(
  provider: Provider,
  { tokens, toBlock, selectOurs, isWithSent = false }: ReceivedRange,
  first: number,
  last: number,
): Promise<Slice | 'too large' | undefined> {
  const params = [
    { fromBlock: toQuantity(first), toBlock: toQuantity(last), address: tokens, topics: [transferTopic] },
  ];
  const together = batchCalls(provider);
  const [end, [answer]] = await Promise.all([
    readBlock(together, toBlock),
    together.batch([{ method, params }]),
  ]);
  if (!end) return undefined;
  if (answer instanceof NodeError) {
    // Each node has different limits and messages: after any refusal, ask for less.
    const isRefusal = answer.said !== undefined && !answer.isOverloaded;
    if (isRefusal && last > first) return 'too large';
    throw answer;
  }
  const logs = parseLogs(answer, { tokens: new Set(tokens), first, last });
  const sidesOf = ({ from, to }: Log) => (isWithSent ? [from, to] : [to]);
  const ours = await selectOurs([...new Set(logs.flatMap(sidesOf))]);
  return {
    end,
    count: logs.length,
    ours: logs.filter((log) => sidesOf(log).some((address) => ours.has(address))),
  };
}

const changed = () => new NodeError(`${method}: the chain changed while it was read`);

interface Wanted {
  tokens: ReadonlySet<string>;
  first: number;
  last: number;
}

function parseLogs(answer: unknown, wanted: Wanted): Log[] {
  if (!Array.isArray(answer)) throw malformed(method);
  return answer.flatMap((fields) => {
    if (typeof fields !== 'object' || fields === null) throw malformed(method);
    if (fields.removed === true) return [];
    const log = parseLog(fields);
    // One log of another block or token makes the whole answer malformed.
    const isWanted =
      wanted.tokens.has(log.token) && log.blockNumber >= wanted.first && log.blockNumber <= wanted.last;
    if (!isWanted) throw malformed(method);
    return [log];
  });
}

function parseLog(fields: Record<string, unknown>): Log {
  const { topics } = fields;
  if (!Array.isArray(topics) || topics.length !== 3 || readHex(method, topics[0], 32) !== transferTopic)
    throw malformed(method);
  return {
    token: readHex(method, fields.address, 20),
    from: readAddress(topics[1]),
    to: readAddress(topics[2]),
    amount: BigInt(readHex(method, fields.data, 32)),
    transactionHash: readHex(method, fields.transactionHash, 32),
    logIndex: readNumber(method, fields.logIndex),
    blockNumber: readNumber(method, fields.blockNumber),
    blockHash: readHex(method, fields.blockHash, 32),
  };
}

function readAddress(topic: unknown): string {
  const word = readHex(method, topic, 32);
  if (!word.startsWith(`0x${'0'.repeat(24)}`)) throw malformed(method);
  return `0x${word.slice(26)}`;
}

/** The time of each, from its block, which must be the one that the node has at that height now. */
async function placeInBlocks(
  provider: Provider,
  end: Block,
  logs: readonly Log[],
): Promise<ReceivedTransfer[]> {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))].filter(
    (number) => number !== end.number,
  );
  const blocks = new Map<number, Block>([[end.number, end]]);
  for (const block of await readBlocks(provider, numbers)) {
    if (block instanceof NodeError) throw block;
    if (block) blocks.set(block.number, block);
  }
  const seen = new Set<string>();
  const transfers = logs.map((log) => {
    const block = blocks.get(log.blockNumber);
    if (block?.hash !== log.blockHash) throw changed();
    const place = `${log.blockNumber} ${log.logIndex}`;
    if (seen.has(place)) throw malformed(method);
    seen.add(place);
    return { ...log, at: block.timestamp };
  });
  return transfers.sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex);
}

/** Whether a receipt has exactly this transfer. */
export function hasTransfer(receipt: Receipt, transfer: ReceivedTransfer): boolean {
  const { token, from, to, amount, logIndex, blockHash, transactionHash } = transfer;
  const topics = [transferTopic, `0x${toWord(from)}`, `0x${toWord(to)}`];
  return (
    receipt.isSuccess &&
    receipt.blockHash === blockHash &&
    receipt.transactionHash === transactionHash &&
    receipt.logs.some(
      (log) =>
        log.logIndex === logIndex &&
        log.address === token &&
        log.data === `0x${toWord(amount)}` &&
        log.topics.join() === topics.join(),
    )
  );
}

/** Whether a receipt has a transfer of this amount to the recipient, at any place. */
export function receivesTransfer(
  { isSuccess, logs }: Receipt,
  { token, to, amount }: Pick<ReceivedTransfer, 'token' | 'to' | 'amount'>,
): boolean {
  return logs.some(
    (log) =>
      isSuccess &&
      log.address === token &&
      log.topics[0] === transferTopic &&
      log.topics[2] === `0x${toWord(to)}` &&
      log.data === `0x${toWord(amount)}`,
  );
}
