import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatMinor, parseMinor } from './money.ts';

for (const [text, decimals, amountMinor, shown] of [
  ['0', 6, 0n, '0'],
  ['0.0', 6, 0n, '0'],
  ['1.5', 6, 1_500_000n, '1.5'],
  ['1.500000', 6, 1_500_000n, '1.5'],
  ['0.000001', 6, 1n, '0.000001'],
  ['1000', 6, 1_000_000_000n, '1000'],
  ['10', 0, 10n, '10'],
  ['0.000000000000000001', 18, 1n, '0.000000000000000001'],
  // Above 2^53, where a JavaScript number would round.
  ['9007199254.740993', 6, 9_007_199_254_740_993n, '9007199254.740993'],
  ['9999999999999999999999999999999', 18, BigInt('9'.repeat(31) + '0'.repeat(18)), '9'.repeat(31)],
] as const) {
  test(`${text} with ${decimals} decimals is ${amountMinor} minor units, shown as ${shown}`, () => {
    assert.equal(parseMinor(text, decimals), amountMinor);
    assert.equal(formatMinor(amountMinor, decimals), shown);
  });
}

for (const [what, text] of [
  ...['-1', '+1', '-0', '--1'].map((text) => ['sign', text] as const),
  ...['1e3', '1E3', '1e-3', 'Infinity', 'NaN', '0x10', '0b1'].map(
    (text) => ['other notation', text] as const,
  ),
  ...['1,5', '1,000', '1_000', '1 000', "1'000"].map((text) => ['separator', text] as const),
  ...[' 1', '1 ', '1\n', '\t1', '1\u0000', ''].map((text) => ['space', text] as const),
  ...['01', '00', '00.1', '-01.5'].map((text) => ['leading zero', text] as const),
  ...['.5', '5.', '.', '1..5', '1.5.5'].map((text) => ['half a number', text] as const),
  ...['١٢', '１', '1٫5', '²', '𝟏'].map((text) => ['other digits', text] as const),
  ...['1.0000001', '0.0000000'].map((text) => ['seven decimals', text] as const),
  ...['1'.repeat(32)].map((text) => ['more digits than any amount', text] as const),
] as const) {
  test(`refuses ${JSON.stringify(text)}: ${what}`, () => {
    assert.equal(parseMinor(text, 6), undefined);
  });
}

const decimals = fc.constantFrom(0, 2, 6, 8, 18);

test('every canonical decimal is read and shown as it was written', () => {
  const digits = (arbitrary: fc.Arbitrary<bigint>) => arbitrary.map(String);
  const canonical = decimals.chain((decimals) =>
    fc
      .tuple(digits(fc.bigInt({ min: 0n, max: 10n ** 31n - 1n })), fc.stringMatching(/^[0-9]{0,18}$/))
      .map(([whole, fraction]) => {
        const kept = fraction.slice(0, decimals).replace(/0+$/, '');
        return { decimals, text: kept === '' ? whole : `${whole}.${kept}` };
      }),
  );
  fc.assert(
    fc.property(canonical, ({ decimals, text }) => {
      assert.equal(formatMinor(parseMinor(text, decimals)!, decimals), text);
    }),
  );
});

test('every amount is shown as a text that reads as the same amount; a debit has a minus before it', () => {
  fc.assert(
    fc.property(decimals, fc.bigInt({ min: 0n, max: 10n ** 31n - 1n }), (decimals, amountMinor) => {
      const shown = formatMinor(amountMinor, decimals);
      assert.equal(parseMinor(shown, decimals), amountMinor);
      if (amountMinor > 0n) assert.equal(formatMinor(-amountMinor, decimals), `-${shown}`);
    }),
  );
});
