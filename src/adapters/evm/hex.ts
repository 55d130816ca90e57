import { NodeError } from './json-rpc.ts';

export type Hex = `0x${string}`;

export const toQuantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;

/** A word of the EVM: 32 bytes, without `0x`. */
export const toWord = (value: bigint | string): string => BigInt(value).toString(16).padStart(64, '0');

export function readQuantity(method: string, value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw malformed(method);
}

export function readNumber(method: string, value: unknown): number {
  const number = Number(readQuantity(method, value));
  if (Number.isSafeInteger(number)) return number;
  throw malformed(method);
}

/** Bytes in lower case, of the length given or of any. */
export function readHex(method: string, value: unknown, bytes?: number): string {
  const isHex = typeof value === 'string' && /^0x(?:[0-9a-fA-F]{2})*$/.test(value);
  if (isHex && (bytes === undefined || value.length === 2 + 2 * bytes)) return value.toLowerCase();
  throw malformed(method);
}

export function malformed(method: string): NodeError {
  return new NodeError(`${method}: the node’s answer has another form than the specification’s`);
}
