import { randomInt } from 'node:crypto';
import { malformed, readQuantity } from './hex.ts';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';

/** What a unit of gas may cost, in wei. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

const jitterWei = 1_000;

/** What a transaction should offer now, within the bounds of its network. */
export async function readFees(
  provider: Provider,
  { tipMin, feeCap }: { tipMin: bigint; feeCap: bigint },
): Promise<Fees & { baseFeePerGas: bigint }> {
  const [block, tip] = await provider.batch([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
  ]);
  if (block instanceof NodeError) throw block;
  const baseFeePerGas = baseFeeOf(block);
  const maxPriorityFeePerGas = jitter(largest(tipOf(tip) ?? tipMin, tipMin), feeCap);
  const maxFeePerGas = smallest(2n * baseFeePerGas + maxPriorityFeePerGas, feeCap);
  return { baseFeePerGas, maxFeePerGas, maxPriorityFeePerGas };
}

/**
 * The fees of a transaction that takes the place of another with the same nonce: nodes want both raised by 10 or 12.5 %.
 * Undefined where the cap leaves no room.
 */
export function raiseFees(fees: Fees, suggested: Fees, cap: bigint): Fees | undefined {
  const maxFeeLeast = raise(fees.maxFeePerGas);
  if (maxFeeLeast > cap) return undefined;
  const maxFeePerGas = smallest(largest(maxFeeLeast, suggested.maxFeePerGas), cap);
  const tip = largest(raise(fees.maxPriorityFeePerGas), suggested.maxPriorityFeePerGas);
  return { maxFeePerGas, maxPriorityFeePerGas: smallest(tip, maxFeePerGas) };
}

/** By an eighth, rounded up, and by something even from nothing. */
const raise = (fee: bigint) => largest((fee * 9n + 7n) / 8n, fee + 1n);

/**
 * A signature is determined by what is signed. Were the fees alike too, a transfer signed twice would have one hash, and a
 * test could not tell bytes that left before they were stored from those that were stored.
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

/** A node that does not suggest a tip, or nonsense, is no reason to wait: there is a least tip. */
function tipOf(answer: unknown): bigint | undefined {
  try {
    return readQuantity('eth_maxPriorityFeePerGas', answer);
  } catch {
    return undefined;
  }
}

const largest = (one: bigint, other: bigint) => (one > other ? one : other);
const smallest = (one: bigint, other: bigint) => (one < other ? one : other);
