import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePrice } from '#adapters/prices';
import { formatCents } from '#platform/values/money';
import { valueInCents } from './usd.ts';

for (const [amount, decimals, price, usd] of [
  [1_000_000n, 6, '0.9998', '1.00'],
  [100_000_000n, 6, '0.9998', '99.98'],
  [1n, 6, '1', '0.00'],
  [4_999n, 6, '1', '0.00'],
  [5_000n, 6, '1', '0.01'],
  [14_999n, 6, '1', '0.01'],
  [15_000n, 6, '1', '0.02'],
  [-5_000n, 6, '1', '-0.01'],
  [-4_999n, 6, '1', '0.00'],
  [1n, 0, '0.005', '0.01'],
  [1n, 0, '0.004999999999999999', '0.00'],
  // In floats 1.005 is less than it says.
  [1n, 0, '1.005', '1.01'],
  [10n ** 36n - 1n, 18, '999999999999999999', '999999999999999998999999999999999999.00'],
  [90_071_992_547_409_931n, 2, '1', '900719925474099.31'],
] as const) {
  test(`${amount} with ${decimals} decimals at ${price} is ${usd}`, () => {
    assert.equal(formatCents(valueInCents({ amount, decimals }, parsePrice(price)!)), usd);
  });
}

for (const [cents, text] of [
  [0n, '0.00'],
  [-1n, '-0.01'],
  [10n, '0.10'],
  [-12_345n, '-123.45'],
  [100n, '1.00'],
] as const) {
  test(`${cents} cents are ${text}`, () => assert.equal(formatCents(cents), text));
}
