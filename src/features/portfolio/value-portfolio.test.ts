import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hourMs } from '#platform/values/duration';
import { type Owned, valuePortfolio } from './value-portfolio.ts';

const now = new Date('2026-03-01T12:00:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);

const arbitraryOwned: fc.Arbitrary<Owned> = fc
  .record({
    kind: fc.constantFrom('holding' as const, 'staked' as const, 'tokenized' as const),
    token: fc.constantFrom('USDT', 'USDC', 'EURC', 'ETH', 'BRK.B'),
    network: fc.constantFrom('polygon', 'ethereum', 'base'),
    amount: fc.oneof(fc.bigInt(1n, 10n ** 6n), fc.bigInt(1n, 10n ** 36n)),
    decimals: fc.constantFrom(0, 2, 6, 8, 18),
    price: fc.oneof(fc.bigInt(1n, 10n ** 19n), fc.bigInt(1n, 10n ** 36n), fc.constant(undefined)),
    ageMs: fc.integer({ min: 0, max: 2 * hourMs }),
    costCents: fc.oneof(fc.bigInt(0n, 10n ** 20n), fc.constant(null)),
  })
  .map(({ price, ageMs, costCents, ...one }) => ({
    ...one,
    quote: price === undefined ? undefined : { price, quotedAt: ago(ageMs) },
    costCents: one.kind === 'tokenized' ? costCents : null,
  }));

/**
 * An independent reckoning: long multiplication of digits written out, and rounding by reading the digit
 * after the cent.
 */
function modelCents(amount: bigint, decimals: number, price: bigint): bigint {
  const digits = (amount * price).toString().padStart(decimals + 18 + 1, '0');
  const point = digits.length - decimals - 18;
  const upToCent = BigInt(digits.slice(0, point + 2));
  return Number(digits[point + 2] ?? '0') >= 5 ? upToCent + 1n : upToCent;
}

test('totals are the sums of the lines, each line as reckoned otherwise, whatever somebody has', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryOwned, { maxLength: 30 }),
      fc.option(fc.integer({ min: 0, max: 2 * hourMs })),
      (owned, positionsAge) => {
        const positionsAt = positionsAge === null ? undefined : ago(positionsAge);
        const portfolio = valuePortfolio(owned, { now, positionsAt, staleAfterMs: hourMs });
        const { lines } = portfolio;
        assert.equal(lines.length, owned.length);

        const expected = { holding: 0n, staked: 0n, tokenized: 0n };
        let pnl = 0n;
        for (const { kind, amount, decimals, quote, costCents } of owned) {
          if (!quote) continue;
          const cents = modelCents(amount, decimals, quote.price);
          expected[kind] += cents;
          if (kind === 'tokenized' && costCents !== null && costCents !== undefined) pnl += cents - costCents;
        }
        const { holding, staked, tokenized, total, tokenizedPnl } = portfolio;
        assert.deepEqual({ holding, staked, tokenized }, expected);
        assert.equal(
          total,
          lines.reduce((all, { cents }) => all + (cents ?? 0n), 0n),
        );
        assert.equal(tokenizedPnl, pnl);

        const unpriced = owned.filter(({ quote }) => !quote).map(({ token }) => token);
        assert.deepEqual(portfolio.unpricedTokens, [...new Set(unpriced)].sort());
        const ages = owned.flatMap(({ quote }) => (quote ? [now.getTime() - quote.quotedAt.getTime()] : []));
        const oldest = Math.max(...ages, positionsAge ?? 0);
        assert.equal(portfolio.fetchedAt.getTime(), now.getTime() - oldest);
        assert.equal(portfolio.isStale, oldest > hourMs || unpriced.length > 0);

        lines.forEach((line, at) => {
          const next = lines[at + 1];
          if (next && next.cents !== null) assert.ok(line.cents !== null && line.cents >= next.cents);
        });
      },
    ),
    { numRuns: 500 },
  );
});

const one = (fields: Partial<Owned>): Owned => ({
  kind: 'holding',
  token: 'USDT',
  network: 'polygon',
  amount: 1_000_000n,
  decimals: 6,
  quote: { price: 10n ** 18n, quotedAt: now },
  ...fields,
});

test('lines of the same value come by token, network and kind, those without a price last', () => {
  const lines = [
    one({ token: 'A', quote: undefined }),
    one({ network: 'polygon' }),
    one({ network: 'base', kind: 'staked' }),
    one({ network: 'base' }),
    one({ token: 'EURC' }),
    one({ token: 'Z', amount: 2_000_000n }),
  ];
  const sorted = valuePortfolio(lines, { now, positionsAt: undefined, staleAfterMs: hourMs }).lines;
  assert.deepEqual(
    sorted.map(({ token, network, kind }) => `${token} ${network} ${kind}`),
    [
      'Z polygon holding',
      'EURC polygon holding',
      'USDT base holding',
      'USDT base staked',
      'USDT polygon holding',
      'A polygon holding',
    ],
  );
});

for (const [what, ageMs, isStale] of [
  ['exactly as old as allowed', hourMs, false],
  ['a millisecond older', hourMs + 1, true],
] as const) {
  test(`${isStale ? 'stale' : 'not stale'}: a price, or positions, ${what}`, () => {
    const old = { quote: { price: 1n, quotedAt: ago(ageMs) } };
    const moment = { now, positionsAt: now, staleAfterMs: hourMs };
    assert.equal(valuePortfolio([one({}), one(old)], moment).isStale, isStale);
    assert.equal(valuePortfolio([one({})], { ...moment, positionsAt: ago(ageMs) }).isStale, isStale);
    assert.equal(valuePortfolio([], { ...moment, positionsAt: ago(ageMs) }).isStale, isStale);
  });
}

test('of nothing: as of the call, and not stale', () => {
  const { fetchedAt, isStale, total, lines } = valuePortfolio([], {
    now,
    positionsAt: undefined,
    staleAfterMs: 1,
  });
  assert.deepEqual([fetchedAt, isStale, total, lines], [now, false, 0n, []]);
});
