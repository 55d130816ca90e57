import { uuidForm } from '#platform/http/schemas';
import type { Hex } from './hex.ts';
import { viem } from './viem.ts';

export interface Transfer {
  /** The token's contract. */
  token: string;
  to: string;
  /** In the token's base units. */
  amount: bigint;
  /** A UUID that identifies the payment; its 16 bytes follow the arguments, where the token ignores them. */
  reference: string;
  /** 16 more bytes that identify the request and its idempotency key; lost rows are also found by them. */
  keyMark?: Buffer;
}

const abi = [
  {
    type: 'function',
    name: 'transfer',
    stateMutability: 'nonpayable',
    outputs: [],
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
    ],
  },
] as const;
const calldataPattern = /^0xa9059cbb[0-9a-f]{128}([0-9a-f]{32})([0-9a-f]{32})?$/;

export function encodeTransfer({ to, amount, reference, keyMark }: Omit<Transfer, 'token'>): Hex {
  if (amount <= 0n) throw new RangeError('a transfer moves more than nothing');
  const uuid = reference.toLowerCase();
  if (!uuidForm.test(uuid)) throw new RangeError('the reference of a transfer is a UUID');
  if (keyMark && keyMark.length !== 16) throw new RangeError('the mark of a key has 16 bytes');
  const call = viem.utils.encodeFunctionData({
    abi,
    functionName: 'transfer',
    args: [to as Hex, amount],
  });
  return `${call}${uuid.replaceAll('-', '')}${keyMark?.toString('hex') ?? ''}`;
}

/** A transfer of 0 from a wallet to itself. Its log makes it possible to find it on chain. */
export const encodeFiller = (wallet: string): Hex =>
  viem.utils.encodeFunctionData({ abi, functionName: 'transfer', args: [wallet as Hex, 0n] });

export interface Mark {
  reference: string;
  /** Undefined in transfers of releases that wrote only the reference. */
  keyMark: Buffer | undefined;
}

/** The reference in a transfer's calldata; with it, lost rows can be rebuilt from the chain. */
export function readMark(calldata: string): Mark | undefined {
  const [, digits, keyMark] = calldataPattern.exec(calldata.toLowerCase()) ?? [];
  if (!digits) return undefined;
  const reference = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { reference, keyMark: keyMark ? Buffer.from(keyMark, 'hex') : undefined };
}
