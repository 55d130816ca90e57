import type { FinalityRule } from './finality.ts';
import { malformed, readHex, readNumber, readQuantity, toQuantity } from './hex.ts';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';

export type BlockTag = 'latest' | 'safe' | 'finalized' | number;

export interface Block {
  number: number;
  hash: string;
  timestamp: Date;
  baseFeePerGas: bigint;
}

export async function readChainId(provider: Provider): Promise<number> {
  return readNumber('eth_chainId', await provider.call('eth_chainId', []));
}

/** Undefined if the chain has no such block. */
export async function readBlock(provider: Provider, tag: BlockTag): Promise<Block | undefined> {
  const { method, params } = askForBlock(tag);
  const block = parseBlock(await provider.call(method, params));
  if (block && typeof tag === 'number' && block.number !== tag) throw malformed(method);
  return block ?? undefined;
}

/** The latest final block; undefined if the chain is not that high. */
export async function readFinalBlock(provider: Provider, rule: FinalityRule): Promise<Block | undefined> {
  if (typeof rule === 'string') return readBlock(provider, rule);
  const latest = await readBlock(provider, 'latest');
  if (!latest || rule === 0) return latest;
  return latest.number < rule ? undefined : readBlock(provider, latest.number - rule);
}

/** Each block; null if the chain has no block of that number. */
export async function readBlocks(
  provider: Provider,
  numbers: readonly number[],
): Promise<(Block | null | NodeError)[]> {
  const answers = await provider.batch(numbers.map(askForBlock));
  return answers.map((answer, at) => {
    if (answer instanceof NodeError) return answer;
    return valueOrError(() => {
      const block = parseBlock(answer);
      if (block && block.number !== numbers[at]) throw malformed('eth_getBlockByNumber');
      return block;
    });
  });
}

/** The hash of each block; null if the chain has no block of that number. */
export async function readBlockHashes(
  provider: Provider,
  numbers: readonly number[],
): Promise<(string | null | NodeError)[]> {
  const blocks = await readBlocks(provider, numbers);
  return blocks.map((block) => (block instanceof NodeError || block === null ? block : block.hash));
}

export async function readTransactionCount(
  provider: Provider,
  address: string,
  at: 'latest' | 'pending' | number,
  timeoutMs?: number,
): Promise<number> {
  const method = 'eth_getTransactionCount';
  return readNumber(method, await provider.call(method, [address, blockParameter(at)], timeoutMs));
}

/** A wrong answer to one of many calls is an error in its place. */
export function valueOrError<Value>(read: () => Value): Value | NodeError {
  try {
    return read();
  } catch (error) {
    if (error instanceof NodeError) return error;
    throw error;
  }
}

const blockParameter = (at: BlockTag | 'pending') => (typeof at === 'number' ? toQuantity(at) : at);

const askForBlock = (tag: BlockTag) => ({
  method: 'eth_getBlockByNumber',
  params: [blockParameter(tag), false],
});

function parseBlock(answer: unknown): Block | null {
  const method = 'eth_getBlockByNumber';
  if (answer === null) return null;
  if (typeof answer !== 'object') throw malformed(method);
  const { number, hash, timestamp, baseFeePerGas = '0x0' } = answer as Record<string, unknown>;
  return {
    number: readNumber(method, number),
    hash: readHex(method, hash, 32),
    timestamp: readTime(method, timestamp),
    baseFeePerGas: readQuantity(method, baseFeePerGas),
  };
}

/** Seconds since 1970, within what a date can hold. */
function readTime(method: string, value: unknown): Date {
  const time = new Date(readNumber(method, value) * 1_000);
  if (Number.isNaN(time.getTime())) throw malformed(method);
  return time;
}
