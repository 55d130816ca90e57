import { viem } from './viem.ts';

export type PrivateKey = `0x${string}`;

/** 32 bytes in hexadecimal, with or without `0x`, that are a valid key of the curve; else undefined. */
export function parsePrivateKey(text: string): PrivateKey | undefined {
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const key: PrivateKey = `0x${digits.toLowerCase()}`;
  try {
    viem.accounts.privateKeyToAddress(key);
    return key;
  } catch {
    return undefined;
  }
}

/** The address, with checksum, of the account that a private key signs for. */
export function addressOfKey(privateKey: PrivateKey): string {
  return viem.accounts.privateKeyToAddress(privateKey);
}
