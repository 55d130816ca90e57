import { valueOrError } from './blocks.ts';
import { malformed, readHex, readNumber, toWord } from './hex.ts';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';
import type { Transfer } from './transfers.ts';

export interface Log {
  address: string;
  topics: string[];
  data: string;
  logIndex: number;
}

/** All hexadecimal in lower case. */
export interface Receipt {
  transactionHash: string;
  blockNumber: number;
  blockHash: string;
  isSuccess: boolean;
  logs: Log[];
}

const method = 'eth_getTransactionReceipt';

/** The receipt of each transaction; null if the node has none. */
export async function readReceipts(
  provider: Provider,
  hashes: readonly string[],
): Promise<(Receipt | null | NodeError)[]> {
  const answers = await provider.batch(hashes.map((hash) => ({ method, params: [hash] })));
  return answers.map((answer, at) => {
    if (answer instanceof NodeError || answer === null) return answer;
    return valueOrError(() => {
      const receipt = parseReceipt(answer);
      if (receipt.transactionHash !== hashes[at]!.toLowerCase()) throw malformed(method);
      return receipt;
    });
  });
}

function parseReceipt(answer: unknown): Receipt {
  if (typeof answer !== 'object' || answer === null) throw malformed(method);
  const { transactionHash, blockNumber, blockHash, status, logs } = answer as Record<string, unknown>;
  if ((status !== '0x1' && status !== '0x0') || !Array.isArray(logs)) throw malformed(method);
  return {
    transactionHash: readHex(method, transactionHash, 32),
    blockNumber: readNumber(method, blockNumber),
    blockHash: readHex(method, blockHash, 32),
    isSuccess: status === '0x1',
    logs: logs.map(parseLog),
  };
}

function parseLog(log: unknown): Log {
  if (typeof log !== 'object' || log === null) throw malformed(method);
  const { address, topics, data, logIndex } = log as Record<string, unknown>;
  if (!Array.isArray(topics)) throw malformed(method);
  return {
    address: readHex(method, address, 20),
    topics: topics.map((topic) => readHex(method, topic, 32)),
    data: readHex(method, data),
    logIndex: readNumber(method, logIndex),
  };
}

/** `exact`: the sender moved this token once, as signed; `none`: not at all; `other`: in any other way. */
export type TransferMatch = { kind: 'exact'; logIndex: number } | { kind: 'none' } | { kind: 'other' };

/** keccak256 of `Transfer(address,address,uint256)`. */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Whether a receipt has a Transfer of the token from one address to the other, of any amount. */
export function paysAnything(
  { logs }: Receipt,
  { token, from, to }: { token: string; from: string; to: string },
): boolean {
  const topics = [transferTopic, `0x${toWord(from)}`, `0x${toWord(to)}`];
  return logs.some(
    (log) => log.address === token.toLowerCase() && topics.every((topic, at) => log.topics[at] === topic),
  );
}

/** One Transfer log of a token. */
export interface Move {
  to: string;
  amount: bigint;
  logIndex: number;
}

/** What an address moved of a token, by a receipt. */
export function readMoves({ logs }: Receipt, { token, from }: { token: string; from: string }): Move[] {
  return logs
    .filter(
      ({ address, topics, data }) =>
        address === token.toLowerCase() &&
        topics[0] === transferTopic &&
        topics[1] === `0x${toWord(from)}` &&
        topics.length === 3 &&
        data.length === 66,
    )
    .map(({ topics, data, logIndex }) => ({
      to: `0x${topics[2]!.slice(26)}`,
      amount: BigInt(data),
      logIndex,
    }));
}

/**
 * The outcome of a transfer, by a receipt. The return value of `transfer` is ignored: USDT returns nothing.
 */
export function matchTransfer(
  { isSuccess, logs }: Receipt,
  { token, from, to, amount }: Pick<Transfer, 'token' | 'to' | 'amount'> & { from: string },
): TransferMatch {
  const topicOf = (address: string) => `0x${toWord(address)}`;
  const moves = logs.filter(
    ({ address, topics }) =>
      address === token.toLowerCase() && topics[0] === transferTopic && topics[1] === topicOf(from),
  );
  const [move, another] = moves;
  if (!move) return { kind: 'none' };
  const isAsked =
    move.topics.length === 3 && move.topics[2] === topicOf(to) && move.data === `0x${toWord(amount)}`;
  return isSuccess && isAsked && !another ? { kind: 'exact', logIndex: move.logIndex } : { kind: 'other' };
}
