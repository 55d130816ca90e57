/**
 * Digits with an optional fraction: no sign, no exponent, no separators, no leading zeros, ASCII digits only.
 */
const decimalPattern = /^(0|[1-9][0-9]{0,30})(?:\.([0-9]{1,36}))?$/;

/**
 * A decimal string as minor units; undefined if it is invalid or has more decimals than the asset. Never
 * rounds.
 */
export function parseMinor(text: string, decimals: number): bigint | undefined {
  const match = decimalPattern.exec(text);
  if (!match) return undefined;
  const [, whole, fraction = ''] = match;
  if (fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** Minor units as the shortest exact decimal string: `1500000n` with 6 decimals is `1.5`. */
export function formatMinor(amountMinor: bigint, decimals: number): string {
  const sign = amountMinor < 0n ? '-' : '';
  const digits = (amountMinor < 0n ? -amountMinor : amountMinor).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end--;
  const whole = sign + digits.slice(0, point);
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}

/** Cents, always with two digits after the point. */
export function formatCents(cents: bigint): string {
  const [whole, fraction = ''] = formatMinor(cents, 2).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}
