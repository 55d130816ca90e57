import { parseMinor } from '#platform/values/money';

/** Prices of tokens from an external source. */
export interface Prices {
  /** Throws a `PriceFault` if the source has nothing usable. */
  read(): Promise<PriceList>;
}

export interface PriceList {
  /** When the source says its prices were made; undefined if it does not say. */
  asOf: Date | undefined;
  /** US dollars for one unit, with `priceDecimals` decimals, by token. */
  prices: ReadonlyMap<string, bigint>;
  /** Names that were skipped, because the name or its price is invalid. */
  refused: string[];
}

/** The source cannot be used. The message never contains the URL, which may hold a token. */
export class PriceFault extends Error {
  override readonly name = 'PriceFault';
}

export const priceDecimals = 18;
const wholeDigitsMax = 18;

export const tokenForm = /^[A-Z0-9][A-Za-z0-9.-]{0,19}$/;

/** A price above 0, of at most 18 digits before and after the point; undefined if the text is invalid. */
export function parsePrice(text: string): bigint | undefined {
  const price = parseMinor(text, priceDecimals);
  const isPrice = price !== undefined && price > 0n && price < 10n ** BigInt(wholeDigitsMax + priceDecimals);
  return isPrice ? price : undefined;
}
