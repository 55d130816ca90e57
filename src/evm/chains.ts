export type TokenSymbol = 'USDT' | 'USDC' | 'EURC';

export interface Chain {
  chainId: number;
  tokens: readonly TokenSymbol[];
}

/** The networks that payouts go to, under the ids by which the whole world knows them. */
export const chains = {
  polygon: { chainId: 137, tokens: ['USDT', 'USDC'] },
  ethereum: { chainId: 1, tokens: ['USDT', 'USDC', 'EURC'] },
  base: { chainId: 8453, tokens: ['USDT', 'USDC', 'EURC'] },
} as const satisfies Record<string, Chain>;

export type Network = keyof typeof chains;

export const networks = Object.keys(chains) as Network[];
