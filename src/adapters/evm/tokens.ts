import type { Network, TokenSymbol } from './chains.ts';

export interface Token {
  symbol: TokenSymbol;
  /** In lower case. */
  address: string;
  decimals: number;
  /** The contract's name for the issuer's list of frozen addresses. */
  freezeFunction: 'isBlackListed' | 'isBlacklisted';
}

/** The issuers' own contracts, as they publish them. */
export const tokenAddresses: Record<Network, Partial<Record<TokenSymbol, string>>> = {
  polygon: {
    USDT: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
    USDC: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  },
  ethereum: {
    USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    EURC: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',
  },
  base: {
    USDT: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
    USDC: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    EURC: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
  },
};

const freezeFunctions: Record<TokenSymbol, Token['freezeFunction']> = {
  USDT: 'isBlackListed',
  USDC: 'isBlacklisted',
  EURC: 'isBlacklisted',
};

export const tokenSymbols = Object.keys(freezeFunctions) as TokenSymbol[];

export function createToken(symbol: TokenSymbol, address: string): Token {
  return { symbol, address: address.toLowerCase(), decimals: 6, freezeFunction: freezeFunctions[symbol] };
}

/** The tokens of a network; those of a test network replace the issuers' or add to them. */
export function tokensOf(network: Network, others: Partial<Record<TokenSymbol, string>> = {}): Token[] {
  const addresses = { ...tokenAddresses[network], ...others };
  return tokenSymbols.flatMap((symbol) => {
    const address = addresses[symbol];
    return address === undefined ? [] : [createToken(symbol, address)];
  });
}
