import { priceDecimals } from '#adapters/prices';

/** An amount of which so many decimals are minor units. */
export interface Quantity {
  amount: bigint;
  decimals: number;
}

/** What it is worth in cents: the exact product, rounded once, half a cent away from zero. */
export function valueInCents({ amount, decimals }: Quantity, price: bigint): bigint {
  const product = amount * price;
  const unitsInCent = 10n ** BigInt(decimals + priceDecimals - 2);
  const half = (product < 0n ? -unitsInCent : unitsInCent) / 2n;
  return (product + half) / unitsInCent;
}
