import { viem } from './viem.ts';

/**
 * The lower-case form in which an address is stored, or undefined. All-lower and all-upper case are accepted;
 * mixed case must be a correct EIP-55 checksum.
 */
export function parseAddress(text: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return undefined;
  const digits = text.slice(2);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || viem.utils.isAddress(text, { strict: true }) ? text.toLowerCase() : undefined;
}

/** The form in which an address is shown. */
export function checksumAddress(address: string): string {
  return viem.utils.getAddress(address);
}
