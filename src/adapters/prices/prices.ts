import { parseMinor } from '#platform/values/money';

/** What tokens are worth, as somebody else says. */
export interface Prices {
  /** Throws a `PriceFault` where there is nothing that can be used. */
  read(): Promise<PriceList>;
}

export interface PriceList {
  /** When the source says that its prices were made; undefined where it does not say. */
  asOf: Date | undefined;
  /** US dollars for one unit, with `priceDecimals` decimals, by token. */
  prices: ReadonlyMap<string, bigint>;
  /** Names of what was left out, because the name or its price is none. */
  refused: string[];
}

/** No list of prices. The message never has the source's address in it, which may hold a token. */
export class PriceFault extends Error {
  override readonly name = 'PriceFault';
}

export const priceDecimals = 18;
const wholeDigitsMax = 18;

export const tokenForm = /^[A-Z0-9][A-Za-z0-9.-]{0,19}$/;

/** A price above 0, of at most 18 digits before and after the point; undefined where the text is none. */
export function parsePrice(text: string): bigint | undefined {
  const price = parseMinor(text, priceDecimals);
  const isPrice = price !== undefined && price > 0n && price < 10n ** BigInt(wholeDigitsMax + priceDecimals);
  return isPrice ? price : undefined;
}
