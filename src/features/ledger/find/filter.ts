import type { LineType } from '../lines/line.ts';

/** No asset has more. */
export const decimalsMax = 18;

export const directions = ['in', 'out'] as const;
export type Direction = (typeof directions)[number];

export const sortings = ['newest', 'oldest', 'largest'] as const;
export type Sorting = (typeof sortings)[number];

/** What a caller looks for in an account. What is left out does not restrict. */
export interface Filter {
  types: readonly LineType[];
  asset?: string;
  network?: string;
  direction?: Direction;
  /** A decimal string, in the asset that moves. */
  minAmount?: string;
  /** A part of the description, of the user's note or of the counterparty, without case and accents. */
  text?: string;
  startAt?: Date;
  /** Inclusive. */
  endAt?: Date;
}

/** What the operations of a filter moved of an asset. */
export interface AssetTotal {
  asset: string;
  /** Of what is not settled. */
  status?: string;
  received: string;
  receivedCount: number;
  sent: string;
  sentCount: number;
  /** How much of these were swaps and bridges, where any were: that money stayed with the user. */
  receivedByConversion?: string;
  sentByConversion?: string;
}

/** Figures of the whole filter, whatever the page shows. */
export interface Found<Item> {
  total: number;
  totals: AssetTotal[];
  items: Item[];
  /** Only what is at least as new, or for `oldest` at least as old, was searched; undefined if all was. */
  searchedTo?: string;
}

/** What else is known of a line. */
export interface Knowledge {
  kind?: 'withdrawal' | 'card-refill';
  /** As the user may see it: of another user, only the beginning of the email. */
  counterparty?: { address?: string; email?: string };
  /** What it was worth in dollars at its time. */
  valueUsd?: string;
}
