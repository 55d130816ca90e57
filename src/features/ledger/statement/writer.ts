import type { Brand } from '#platform/values/brand';
import type { Statement } from '../open-statement.ts';
import type { Language } from './words.ts';

/** How a statement is written, apart from what it says. */
export interface StatementStyle {
  language: Language;
  /** CSV only: begin with the mark by which spreadsheets recognize UTF-8. */
  hasBom: boolean;
  /** Who issues it. */
  brand: Brand;
  /** Base units of the assets in US cents, where prices are known. */
  value: ValueAssets;
  /** The statement's number, and the page that checks it. */
  number: string;
  verifyUrl(balances: readonly Totals[]): string;
}

/** An amount of an asset, in base units. */
export interface AssetAmount {
  currency: string;
  amount: bigint;
  decimals: number;
}

/** What an amount is worth in US cents at the newest price; null if no price is known. */
export type ValueAssets = (
  amounts: readonly AssetAmount[],
) => Promise<readonly ({ cents: bigint; quotedAt: Date } | null)[]>;

/** What a statement says about one asset, and the page that checks it says too. */
export interface Totals {
  network: string;
  currency: string;
  decimals: number;
  opening: bigint;
  closing: bigint;
}

/** Every format is written by one of these, from the same statement. */
export type StatementWriter = (statement: Statement, style: StatementStyle) => AsyncIterable<Uint8Array>;
