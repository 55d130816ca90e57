import { randomInt } from 'node:crypto';
import { valueOrError } from './blocks.ts';
import { malformed, readQuantity } from './hex.ts';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';

/** What a unit of gas may cost, in wei. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** What a network allows, in wei for each unit of gas. */
export interface FeeBounds {
  tipMin: bigint;
  /** A tip up to this is accepted at any base fee; above it, the tip is at most the base fee. */
  tipAllowed: bigint;
  feeCap: bigint;
}

const jitterWei = 1_000;
const feeTimeoutMs = 3_000;

/**
 * The fee to offer now: the median of the nodes' answers, within the network's bounds. Otherwise one node
 * could set the price of every payout. Of two, the lower: a fee that is too low can be raised, one that is
 * too high is spent.
 */
export async function readFees(
  providers: readonly Provider[],
  { tipMin, tipAllowed, feeCap }: FeeBounds,
): Promise<Fees & { baseFeePerGas: bigint }> {
  const answers = await Promise.all(providers.map(readFrom));
  const heard = answers.flatMap((answer) => (answer instanceof NodeError ? [] : [answer]));
  if (heard.length === 0) throw answers[0];
  const baseFeePerGas = median(heard.map(({ baseFee }) => baseFee))!;
  const suggested = median(heard.flatMap(({ tip }) => tip ?? [])) ?? tipMin;
  const tip = smallest(suggested, largest(baseFeePerGas, tipAllowed));
  const maxPriorityFeePerGas = jitter(largest(tip, tipMin), feeCap);
  const maxFeePerGas = smallest(2n * baseFeePerGas + maxPriorityFeePerGas, feeCap);
  return { baseFeePerGas, maxFeePerGas, maxPriorityFeePerGas };
}

async function readFrom(
  provider: Provider,
): Promise<{ baseFee: bigint; tip: bigint | undefined } | NodeError> {
  const [block, tip] = await provider.batch(
    [
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      { method: 'eth_maxPriorityFeePerGas', params: [] },
    ],
    feeTimeoutMs,
  );
  if (block instanceof NodeError) return block;
  return valueOrError(() => ({ baseFee: baseFeeOf(block), tip: tipOf(tip) }));
}

/** Of an even number, the lower of the two in the middle. */
export function median(values: readonly bigint[]): bigint | undefined {
  const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/**
 * Fees of a replacement transaction with the same nonce: nodes require both to rise by 10 or 12.5 %.
 * Undefined if the cap leaves no room.
 */
export function raiseFees(fees: Fees, suggested: Fees, cap: bigint): Fees | undefined {
  const maxFeeLeast = raise(fees.maxFeePerGas);
  if (maxFeeLeast > cap) return undefined;
  const maxFeePerGas = smallest(largest(maxFeeLeast, suggested.maxFeePerGas), cap);
  const tip = largest(raise(fees.maxPriorityFeePerGas), suggested.maxPriorityFeePerGas);
  return { maxFeePerGas, maxPriorityFeePerGas: smallest(tip, maxFeePerGas) };
}

/** By an eighth, rounded up, so that 0 rises too. */
const raise = (fee: bigint) => largest((fee * 9n + 7n) / 8n, fee + 1n);

/**
 * Signatures are deterministic. With equal fees, a transfer signed twice would have one hash, and a test
 * could not tell bytes sent before they were stored from stored ones.
 */
function jitter(tip: bigint, cap: bigint): bigint {
  const room = largest(cap - BigInt(jitterWei), 0n);
  return smallest(tip, room) + BigInt(randomInt(jitterWei));
}

function baseFeeOf(block: unknown): bigint {
  const method = 'eth_getBlockByNumber';
  if (typeof block !== 'object' || block === null || !('baseFeePerGas' in block)) throw malformed(method);
  return readQuantity(method, block.baseFeePerGas);
}

/** If a node suggests no tip or an invalid one, use the minimum tip. */
function tipOf(answer: unknown): bigint | undefined {
  try {
    return readQuantity('eth_maxPriorityFeePerGas', answer);
  } catch {
    return undefined;
  }
}

const largest = (one: bigint, other: bigint) => (one > other ? one : other);
const smallest = (one: bigint, other: bigint) => (one < other ? one : other);
