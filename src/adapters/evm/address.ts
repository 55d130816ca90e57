import { viem } from './viem.ts';

/**
 * The lower-case form under which an address is stored, or undefined. One case throughout is taken as it is; mixed case is
 * a checksum (EIP-55) and must be right.
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
