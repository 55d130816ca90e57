import { invalidField } from '#platform/errors/errors';
import { formatCents, parseMinor } from '#platform/values/money';

/** As many digits as the issuer's protocol has. */
const centsMax = 10n ** 15n - 1n;

/** What a caller writes, in US dollars, as cents. */
export function readLimit(field: string, text: string): bigint {
  const cents = parseMinor(text, 2);
  if (cents === undefined) {
    throw invalidField(
      field,
      'must be a decimal string in US dollars with at most two decimals, such as 250.00',
    );
  }
  if (cents > centsMax) throw invalidField(field, `must be at most ${formatCents(centsMax)}`);
  return cents;
}

/** Above zero. */
export function readAmount(field: string, text: string): bigint {
  const cents = readLimit(field, text);
  if (cents === 0n) throw invalidField(field, 'must be above 0');
  return cents;
}

/** What the issuer writes, which may be below zero where it is a balance. */
export function parseCents(text: string): bigint {
  const isNegative = text.startsWith('-');
  const cents = parseMinor(isNegative ? text.slice(1) : text, 2);
  if (cents === undefined) throw new Error('the issuer sent an invalid amount');
  return isNegative ? -cents : cents;
}
