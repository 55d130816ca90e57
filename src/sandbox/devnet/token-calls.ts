import { viem } from '#adapters/evm';

type Hex = `0x${string}`;

const inputs = [
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
] as const;

const abi = [
  { type: 'function', name: 'mint', stateMutability: 'nonpayable', inputs, outputs: [] },
  { type: 'function', name: 'transfer', stateMutability: 'nonpayable', inputs, outputs: [] },
] as const;

/** Calls of a test token: its issuer makes new ones, and a holder pays. */
export const encodeTokenCall = (functionName: 'mint' | 'transfer', to: string, amount: bigint): Hex =>
  viem.utils.encodeFunctionData({ abi, functionName, args: [to as Hex, amount] });
