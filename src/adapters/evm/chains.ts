import type { Finality } from './finality.ts';

export type TokenSymbol = 'USDT' | 'USDC' | 'EURC';

export interface Chain {
  chainId: number;
  tokens: readonly TokenSymbol[];
  /** Default finality of a payout. */
  finality: Finality;
  /** The lowest tip that block builders of the network accept, in wei for each unit of gas. */
  tipMin: bigint;
  /** The highest tip that a node may suggest if the base fee is lower, in wei for each unit of gas. */
  tipAllowed: bigint;
  /** Default fee cap, in wei for each unit of gas. */
  feeCap: bigint;
  /** Enough for a transfer of any of the tokens; unused gas is not paid. */
  transferGas: bigint;
  /** How long a sent transaction may wait before its fee is raised. */
  bumpAfterMs: number;
}

const gwei = 1_000_000_000n;
const transferGas = 150_000n;

/** The networks that payouts go to, by their public chain ids. */
export const chains = {
  polygon: {
    chainId: 137,
    tokens: ['USDT', 'USDC'],
    finality: { rule: 'finalized' },
    tipMin: 30n * gwei,
    tipAllowed: 30n * gwei,
    feeCap: 10_000n * gwei,
    transferGas,
    bumpAfterMs: 20_000,
  },
  ethereum: {
    chainId: 1,
    tokens: ['USDT', 'USDC', 'EURC'],
    finality: { rule: 'finalized' },
    tipMin: gwei / 10n,
    tipAllowed: 2n * gwei,
    feeCap: 500n * gwei,
    transferGas,
    bumpAfterMs: 60_000,
  },
  base: {
    chainId: 8453,
    tokens: ['USDT', 'USDC', 'EURC'],
    finality: { rule: 'safe', above: { amount: '10000', rule: 'finalized' } },
    tipMin: gwei / 1_000n,
    tipAllowed: gwei / 10n,
    feeCap: 50n * gwei,
    transferGas,
    bumpAfterMs: 20_000,
  },
} as const satisfies Record<string, Chain>;

export type Network = keyof typeof chains;

export const networks = Object.keys(chains) as Network[];
