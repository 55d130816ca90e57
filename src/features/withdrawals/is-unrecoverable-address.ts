import type { EvmNetwork } from '#adapters/evm';

/**
 * Addresses that lose tokens: nobody has the key of the zero address, and a token's contract returns nothing.
 * `address` in lower case.
 */
export function isUnrecoverableAddress({ tokens }: Pick<EvmNetwork, 'tokens'>, address: string): boolean {
  return /^0x0+$/.test(address) || [...tokens.values()].some((token) => token.address === address);
}
