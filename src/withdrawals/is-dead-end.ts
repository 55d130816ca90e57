import type { Token } from '../evm/index.ts';

/** Where tokens are gone for good: nobody has the zero address, and a token has no use for itself. `address` in lower case. */
export function isDeadEnd({ address: tokenAddress }: Pick<Token, 'address'>, address: string): boolean {
  return /^0x0+$/.test(address) || address === tokenAddress;
}
