import type { EvmNetwork } from '#adapters/evm';

/** Where tokens are gone for good: nobody has the zero address, and a token's contract gives nothing back. `address` in lower case. */
export function isUnrecoverableAddress({ tokens }: Pick<EvmNetwork, 'tokens'>, address: string): boolean {
  return /^0x0+$/.test(address) || [...tokens.values()].some((token) => token.address === address);
}
