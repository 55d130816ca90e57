import { privateKeyToAddress } from 'viem/accounts';

export type PrivateKey = `0x${string}`;

/** The address, with checksum, of the account that a private key signs for. */
export function addressOfKey(privateKey: PrivateKey): string {
  return privateKeyToAddress(privateKey);
}
