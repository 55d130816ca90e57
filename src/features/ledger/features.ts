import type { LineType } from './lines/line.ts';

/**
 * The contract's features of the settled ledger, its spelling of portfolio included, and the types of lines
 * in each. These features have statements.
 */
export const accountFeatures = {
  account: ['buy', 'sell', 'swap-bridge', 'transfer-token'],
  'account-onramp': ['buy'],
  'account-offramp': ['sell'],
  'account-swap': ['swap-bridge'],
  'account-crypto': ['transfer-token'],
  'account-portifolio': ['transfer-token', 'swap-bridge'],
} as const satisfies Readonly<Record<string, readonly LineType[]>>;

export type AccountFeature = keyof typeof accountFeatures;

export const accountFeatureNames = Object.keys(accountFeatures) as AccountFeature[];

/** Whether a history feature is one of the settled ledger, and so has statements. */
export const isAccountFeature = (feature: string): feature is AccountFeature =>
  Object.hasOwn(accountFeatures, feature);
