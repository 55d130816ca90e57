import { JsonFault, parseStrictJson } from '#platform/http/strict-json';
import { parseInstant } from '#platform/values/instant';
import { isObject } from '#platform/values/is-object';
import { sanitizeText } from '#platform/values/sanitize-text';
import { PriceFault, type PriceList, parsePrice, tokenForm } from './prices.ts';

const pricesMax = 1_000;
const instantForm = /^\d{4}-\d{2}-\d{2}[Tt].*(?:[Zz]|[+-]\d{2}:?\d{2})$/;

/** The source's document. An invalid price is skipped and does not affect the others. */
export function readDocument(bytes: Uint8Array): PriceList {
  const document = parse(bytes);
  if (!isObject(document) || !isObject(document.prices)) {
    throw new PriceFault('The price source has no object of prices.');
  }
  const entries = Object.entries(document.prices);
  if (entries.length > pricesMax) throw new PriceFault(`The price source has more than ${pricesMax} prices.`);
  const prices = new Map<string, bigint>();
  const refused: string[] = [];
  for (const [token, text] of entries) {
    // A JSON number may have lost digits as a float.
    const price = typeof text === 'string' ? parsePrice(text) : undefined;
    if (price !== undefined && tokenForm.test(token)) prices.set(token, price);
    else refused.push(sanitizeText(token, 40));
  }
  return { asOf: readAsOf(document.asOf), prices, refused };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new PriceFault(`The price source cannot be used: ${error.message}.`);
  }
}

/** Without a trusted age, no price of the document can be trusted. */
function readAsOf(asOf: unknown): Date | undefined {
  if (asOf === undefined || asOf === null) return undefined;
  const instant =
    typeof asOf === 'string' && instantForm.test(asOf) ? parseInstant(asOf, 'start') : undefined;
  if (instant && instant.getTime() >= 0) return instant;
  throw new PriceFault('The price source’s asOf is no instant such as 2026-01-31T12:00:00Z.');
}
