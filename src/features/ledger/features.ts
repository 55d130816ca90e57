import type { LineType } from './lines/line.ts';

/**
 * The contract's features of the settled ledger, its spelling of portfolio included, and the types of lines
 * in each.
 */
export const accountFeatures: Readonly<Record<string, readonly LineType[]>> = {
  account: ['buy', 'sell', 'swap-bridge', 'transfer-token'],
  'account-onramp': ['buy'],
  'account-offramp': ['sell'],
  'account-swap': ['swap-bridge'],
  'account-crypto': ['transfer-token'],
  'account-portifolio': ['transfer-token', 'swap-bridge'],
};
