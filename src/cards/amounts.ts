import { invalidField } from '../platform/errors.ts';
import { formatMinor, parseMinor } from '../platform/money.ts';

/** As many digits as the issuer's protocol has. */
const centsMax = 10n ** 15n - 1n;

/** What a caller writes, in US dollars, as cents. */
export function readLimit(field: string, text: string): bigint {
  const cents = parseMinor(text, 2);
  if (cents === undefined || cents > centsMax) {
    throw invalidField(field, 'must be a decimal string in US dollars with at most two decimals');
  }
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
  if (cents === undefined) throw new Error('the issuer told an amount that is none');
  return isNegative ? -cents : cents;
}

/** Always two digits after the point, as the issuer writes and as statements of cards do. */
export function formatCents(cents: bigint): string {
  const [whole, fraction = ''] = formatMinor(cents, 2).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}
