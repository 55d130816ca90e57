import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { parsePrice } from '#adapters/prices';
import { type Ctx, contextFor, type KeyActor } from '#context';
import type { Db } from '#platform/db/db';
import { parseMinor } from '#platform/values/money';
import { makeFunds, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { sized } from '#test/sizes';
import { portfolioTools } from './index.ts';
import { refreshPrices } from './refresh-prices.ts';

const harness = useHarness();
const staleAfterMs = 3_600_000;
const [tool] = portfolioTools({ balanceStaleAfterMs: staleAfterMs });
const isOutput = Compile(tool!.output);
const now = () => harness.deps.clock();
const ago = (ms: number) => new Date(now().getTime() - ms).toISOString();

function keyContext(userId: string, db: Db = harness.deps.db): Ctx<KeyActor> {
  const actor: KeyActor = { kind: 'key', keyId: 'k', partnerId: 'p', userId, scopes: ['mcp'] };
  return { ...contextFor(harness.deps, actor, harness.deps.log), db };
}

// biome-ignore lint/suspicious/noExplicitAny: the payload is checked against the tool's own schema.
async function balanceOf(userId: string, db?: Db, given = {}): Promise<any> {
  const payload = await tool!.run(keyContext(userId, db), given as never);
  assert.ok(isOutput.Check(payload), JSON.stringify(isOutput.Errors(payload)));
  return payload;
}

const quote = (prices: Record<string, string>, asOf?: string) =>
  refreshPrices({
    ...harness.operatorContext(),
    prices: {
      read: async () => ({
        asOf: asOf === undefined ? undefined : new Date(asOf),
        prices: new Map(Object.entries(prices).map(([token, price]) => [token, parsePrice(price)!])),
        refused: [],
      }),
    },
  });

async function record(userId: string, positions: object[], asOf?: string): Promise<void> {
  const { status, body } = await harness.operator('positions.record', { userId, asOf, positions });
  assert.equal(status, 200, body.error);
}

const newUser = async () => (await makeUser(harness)).id;

test('the tool as a client sees it', () => {
  assert.equal(tool!.name, 'getAccountBalance');
  assert.equal(tool!.scope, 'mcp');
  assert.ok(tool!.description.length < 2_048);
  for (const word of ['scope mcp', 'null', 'isStale', 'unpricedTokens', 'collateral'])
    assert.ok(tool!.description.includes(word));
  assert.deepEqual(tool!.hints, { readOnly: true, destructive: false, idempotent: true, openWorld: false });
  assert.ok(Compile(tool!.input).Check({}), 'the contract’s call has no arguments');
  assert.ok(!Compile(tool!.input).Check({ userId: 'somebody' }));
});

test('somebody who has nothing: zeros, as of the call', async () => {
  const { lastFetchedAt, ...rest } = await balanceOf(await newUser());
  assert.ok(Math.abs(Date.parse(lastFetchedAt) - now().getTime()) < 10_000);
  assert.deepEqual(rest, {
    currency: 'USD',
    totalUsdValue: '0.00',
    holdingUsdValue: '0.00',
    stakedUsdValue: '0.00',
    tokenizedAssetsUsdValue: '0.00',
    tokenizedAssetsPnl: '0.00',
    byToken: [],
    truncated: false,
    unpricedTokens: [],
    isStale: false,
    includesCardCollateral: false,
  });
});

test('holdings, staked and tokenized assets: each line to the cent, totals that add up, a loss below zero', async () => {
  const userId = await newUser();
  const [quotedAt, recordedAt] = [ago(120_000), ago(60_000)];
  await quote({ USDT: '0.9998', EURC: '1.0832', ETH: '2650.25', PAXG: '2400.005' }, quotedAt);
  await makeFunds(harness, userId, 'polygon', 'USDT', '100.005');
  await makeFunds(harness, userId, 'base', 'EURC', '0.000001');
  await makeFunds(harness, userId, 'ethereum', 'EURC', '10');
  await record(
    userId,
    [
      { kind: 'staked', token: 'ETH', network: 'ethereum', amount: '1.25' },
      { kind: 'tokenized', token: 'PAXG', network: 'ethereum', amount: '0.5', costUsd: '1300.01' },
      { kind: 'tokenized', token: 'ACME', network: 'solana', amount: '3', costUsd: '20', priceUsd: '7.115' },
    ],
    recordedAt,
  );
  assert.deepEqual(await balanceOf(userId), {
    currency: 'USD',
    totalUsdValue: '4644.97',
    holdingUsdValue: '110.81',
    stakedUsdValue: '3312.81',
    tokenizedAssetsUsdValue: '1221.35',
    tokenizedAssetsPnl: '-98.66',
    byToken: [
      {
        token: 'ETH',
        network: 'ethereum',
        isStake: true,
        kind: 'staked',
        amount: '1.25',
        balanceUsd: '3312.81',
        asOf: quotedAt,
        isStale: false,
      },
      {
        token: 'PAXG',
        network: 'ethereum',
        isStake: false,
        kind: 'tokenized',
        amount: '0.5',
        balanceUsd: '1200.00',
        asOf: quotedAt,
        isStale: false,
      },
      {
        token: 'USDT',
        network: 'polygon',
        isStake: false,
        kind: 'holding',
        amount: '100.005',
        balanceUsd: '99.98',
        asOf: quotedAt,
        isStale: false,
      },
      {
        token: 'ACME',
        network: 'solana',
        isStake: false,
        kind: 'tokenized',
        amount: '3',
        balanceUsd: '21.35',
        asOf: recordedAt,
        isStale: false,
      },
      {
        token: 'EURC',
        network: 'ethereum',
        isStake: false,
        kind: 'holding',
        amount: '10',
        balanceUsd: '10.83',
        asOf: quotedAt,
        isStale: false,
      },
      {
        token: 'EURC',
        network: 'base',
        isStake: false,
        kind: 'holding',
        amount: '0.000001',
        balanceUsd: '0.00',
        asOf: quotedAt,
        isStale: false,
      },
    ],
    truncated: false,
    unpricedTokens: [],
    lastFetchedAt: quotedAt,
    isStale: false,
    includesCardCollateral: false,
  });
});

test('what is held for a withdrawal is still the user’s; a balance of nothing is left out', async () => {
  const userId = await newUser();
  await quote({ USDT: '2', USDC: '1' });
  await makeFunds(harness, userId, 'polygon', 'USDT', '5');
  const hold = `update ledger_accounts set held = 3000000 where user_id = $1 and currency = 'USDT'`;
  await harness.deps.db.query(hold, [userId]);
  await harness.deps.db.query(
    `insert into ledger_accounts (user_id, network, currency, balance, held) values ($1, 'base', 'USDC', 0, 0)`,
    [userId],
  );
  const { byToken, totalUsdValue } = await balanceOf(userId);
  assert.deepEqual(
    byToken.map(({ token, amount, balanceUsd }: Record<string, string>) => [token, amount, balanceUsd]),
    [['USDT', '5', '10.00']],
  );
  assert.equal(totalUsdValue, '10.00');
});

test('a token without a price: null, named, in no total, and stale', async () => {
  const userId = await newUser();
  await quote({ USDC: '1' });
  await makeFunds(harness, userId, 'polygon', 'USDC', '1');
  await record(userId, [
    { kind: 'staked', token: 'NOBODY', network: 'moon', amount: '7' },
    { kind: 'staked', token: 'NOBODY', network: 'mars', amount: '7' },
    { kind: 'tokenized', token: 'ALSONOT', network: 'moon', amount: '1', costUsd: '5' },
  ]);
  const balance = await balanceOf(userId);
  assert.deepEqual(
    [
      balance.totalUsdValue,
      balance.stakedUsdValue,
      balance.tokenizedAssetsUsdValue,
      balance.tokenizedAssetsPnl,
    ],
    ['1.00', '0.00', '0.00', '0.00'],
  );
  assert.deepEqual([balance.unpricedTokens, balance.isStale], [['ALSONOT', 'NOBODY'], true]);
  assert.deepEqual(
    balance.byToken.map(({ token, network, balanceUsd }: Record<string, string>) => [
      token,
      network,
      balanceUsd,
    ]),
    [
      ['USDC', 'polygon', '1.00'],
      ['ALSONOT', 'moon', null],
      ['NOBODY', 'mars', null],
      ['NOBODY', 'moon', null],
    ],
  );
});

test('the price source goes before a price that came with a position, which is of that position alone', async () => {
  const userId = await newUser();
  await quote({ LISTED: '3' });
  await record(userId, [
    { kind: 'staked', token: 'LISTED', network: 'moon', amount: '1', priceUsd: '100' },
    { kind: 'staked', token: 'OWN', network: 'moon', amount: '1', priceUsd: '5' },
    { kind: 'tokenized', token: 'OWN', network: 'moon', amount: '1' },
  ]);
  const { byToken } = await balanceOf(userId);
  assert.deepEqual(
    byToken.map(({ token, kind, balanceUsd }: Record<string, string>) => [token, kind, balanceUsd]),
    [
      ['OWN', 'staked', '5.00'],
      ['LISTED', 'staked', '3.00'],
      ['OWN', 'tokenized', null],
    ],
  );
});

test('a price that the source dropped gives way, once it is stale, to one that is recorded later', async () => {
  const userId = await newUser();
  await quote({ DROPPED: '5' }, ago(staleAfterMs * 10));
  const position = { kind: 'tokenized', token: 'DROPPED', network: 'base', amount: '3', costUsd: '20' };
  await record(userId, [position], ago(2_000));
  const before = await balanceOf(userId);
  assert.deepEqual([before.byToken[0].balanceUsd, before.isStale], ['15.00', true]);
  await record(userId, [{ ...position, priceUsd: '7.115' }]);
  const { byToken, tokenizedAssetsPnl, isStale } = await balanceOf(userId);
  assert.deepEqual([byToken[0].balanceUsd, tokenizedAssetsPnl, isStale], ['21.35', '1.35', false]);
  await quote({ DROPPED: '6' });
  assert.equal((await balanceOf(userId)).byToken[0].balanceUsd, '18.00', 'and the source goes first again');
});

test('PnL is of tokenized positions with a price and a cost; one that was given has a cost of nothing', async () => {
  const userId = await newUser();
  await quote({ GIFT: '10' });
  await record(userId, [
    { kind: 'tokenized', token: 'GIFT', network: 'a', amount: '1', costUsd: '0' },
    { kind: 'tokenized', token: 'GIFT', network: 'b', amount: '1', costUsd: '12.50' },
    { kind: 'tokenized', token: 'GIFT', network: 'c', amount: '1' },
    { kind: 'tokenized', token: 'UNKNOWN', network: 'd', amount: '1', costUsd: '1000' },
    { kind: 'staked', token: 'GIFT', network: 'e', amount: '1' },
  ]);
  const { tokenizedAssetsPnl, tokenizedAssetsUsdValue } = await balanceOf(userId);
  assert.deepEqual([tokenizedAssetsPnl, tokenizedAssetsUsdValue], ['7.50', '30.00']);
});

test('stale: prices that are not refreshed, then positions that are not recorded; others’ prices do not matter', async () => {
  const userId = await newUser();
  await quote({ USDC: '1', ETH: '2', UNUSED: '1' });
  await makeFunds(harness, userId, 'polygon', 'USDC', '1');
  assert.equal((await balanceOf(userId)).isStale, false);
  const quotedAt = (await balanceOf(userId)).lastFetchedAt;

  harness.advance(staleAfterMs - 60_000);
  assert.deepEqual(
    [(await balanceOf(userId)).isStale, (await balanceOf(userId)).lastFetchedAt],
    [false, quotedAt],
  );
  harness.advance(120_000);
  assert.deepEqual(
    [(await balanceOf(userId)).isStale, (await balanceOf(userId)).lastFetchedAt],
    [true, quotedAt],
  );

  await quote({ USDC: '1' });
  assert.equal((await balanceOf(userId)).isStale, false, 'UNUSED and ETH are old, and nobody here has any');

  const asOf = ago(1_000);
  await record(userId, [], asOf);
  assert.deepEqual(
    [(await balanceOf(userId)).isStale, (await balanceOf(userId)).lastFetchedAt],
    [false, asOf],
  );
  harness.advance(staleAfterMs);
  await quote({ USDC: '1' });
  assert.equal((await balanceOf(userId)).isStale, true, 'that there are no positions is old news');
  await record(userId, [{ kind: 'staked', token: 'ETH', network: 'ethereum', amount: '1' }]);
  assert.equal((await balanceOf(userId)).isStale, true, 'now the price of ETH is used, and it is old');
  await quote({ ETH: '2' });
  assert.equal((await balanceOf(userId)).isStale, false);
});

test('each line has its time, and why it is stale: no price, an old price, an old position', async () => {
  const userId = await newUser();
  // So that the quotes below are newer than those of the tests above.
  harness.advance(120_000);
  const [old, recent] = [ago(staleAfterMs + 60_000), ago(60_000)];
  await quote({ LINE1: '9' }, old);
  await quote({ USDC: '1', LINE2: '4' }, recent);
  await makeFunds(harness, userId, 'polygon', 'USDC', '7');
  const staked = (token: string, more = {}) => ({
    kind: 'staked',
    token,
    network: 'moon',
    amount: '1',
    ...more,
  });
  const own = staked('LINE3', { priceUsd: '3' });
  await record(userId, [staked('LINE1'), staked('LINE2'), own, staked('LINE4')], ago(30_000));
  const facts = async () =>
    (await balanceOf(userId)).byToken.map((line: Record<string, unknown>) => [
      line.token,
      line.asOf,
      line.isStale,
      line.staleReason,
    ]);
  const takenAt = (await facts())[3][1];
  assert.deepEqual(await facts(), [
    ['LINE1', old, true, 'old-price'],
    ['USDC', recent, false, undefined],
    ['LINE2', recent, false, undefined],
    ['LINE3', takenAt, false, undefined],
    ['LINE4', takenAt, true, 'no-price'],
  ]);

  harness.advance(staleAfterMs);
  await quote({ USDC: '1', LINE2: '4' });
  const [line1, usdc, ...others] = await facts();
  assert.deepEqual([line1[3], usdc[2], usdc[3]], ['old-position', false, undefined]);
  assert.deepEqual(
    others.map((line: unknown[]) => line.slice(1)),
    [
      [takenAt, true, 'old-position'],
      [takenAt, true, 'old-position'],
      [takenAt, true, 'no-price'],
    ],
  );
});

test('twenty-five lines a page, the most valuable first; totals of all of them', async () => {
  const userId = await newUser();
  const positions = Array.from({ length: 150 }, (_, n) => ({
    kind: 'staked',
    token: `T${n}`,
    network: 'moon',
    amount: '1',
    priceUsd: String(((n * 7) % 150) + 1),
  }));
  await record(userId, positions);
  const first = await balanceOf(userId);
  const { truncated, totalUsdValue, nextArguments } = first;
  assert.deepEqual([truncated, totalUsdValue], [true, `${(150 * 151) / 2}.00`]);
  assert.deepEqual(nextArguments, { currentPage: 1 });
  const shown = first.byToken;
  for (let next = nextArguments, pages = 1; next; pages++) {
    assert.ok(pages < 6);
    const page = await balanceOf(userId, undefined, next);
    assert.deepEqual([page.byToken.length, page.totalUsdValue], [25, totalUsdValue]);
    assert.equal(page.truncated, page.nextArguments !== undefined);
    shown.push(...page.byToken);
    next = page.nextArguments;
  }
  assert.deepEqual(
    shown.map(({ balanceUsd }: { balanceUsd: string }) => balanceUsd),
    Array.from({ length: 150 }, (_, n) => `${150 - n}.00`),
  );
  await record(userId, positions.slice(0, 25));
  const { truncated: isCut, nextArguments: none } = await balanceOf(userId);
  assert.deepEqual([isCut, none], [false, undefined]);
});

test('two statements, whatever somebody has', async () => {
  const userId = await newUser();
  await makeFunds(harness, userId, 'polygon', 'USDT', '1');
  await makeFunds(harness, userId, 'base', 'USDC', '1');
  await record(userId, [
    { kind: 'staked', token: 'ETH', network: 'ethereum', amount: '1' },
    { kind: 'staked', token: 'SOL', network: 'solana', amount: '1' },
  ]);
  let statements = 0;
  const counting: Db = {
    query: (...args) => {
      statements++;
      return harness.deps.db.query(...args);
    },
    transaction: () => Promise.reject(new Error('a read needs no transaction')),
  };
  await balanceOf(userId, counting);
  assert.equal(statements, 2);
});

test('what is another user’s is not counted', async () => {
  const [userId, other] = [await newUser(), await newUser()];
  await makeFunds(harness, other, 'polygon', 'USDT', '1');
  await record(other, [{ kind: 'staked', token: 'ETH', network: 'ethereum', amount: '1', priceUsd: '1' }]);
  assert.deepEqual((await balanceOf(userId)).byToken, []);
});

const cents = (usd: string) => (usd.startsWith('-') ? -parseMinor(usd.slice(1), 2)! : parseMinor(usd, 2)!);
const decimals = (decimalsMax: number, wholeMax: bigint) =>
  fc
    .tuple(fc.bigInt(0n, wholeMax), fc.bigInt(1n, 10n ** BigInt(decimalsMax) - 1n))
    .map(([whole, fraction]) => `${whole}.${fraction.toString().padStart(decimalsMax, '0')}`);

test('through the database: totals are the sums of the lines shown, each exact to half a cent', async () => {
  const tokens = ['USDT', 'USDC', 'EURC', 'ETH', 'PAXG'];
  await fc.assert(
    fc.asyncProperty(
      fc.array(decimals(18, 10n ** 6n), { minLength: 5, maxLength: 5 }),
      fc.uniqueArray(
        fc.record({
          kind: fc.constantFrom('staked', 'tokenized'),
          token: fc.constantFrom(...tokens, 'OTHER'),
          network: fc.constantFrom('ethereum', 'solana'),
          amount: decimals(18, 10n ** 9n),
          costUsd: fc.option(decimals(2, 10n ** 9n), { nil: undefined }),
          priceUsd: fc.option(decimals(18, 10n ** 6n), { nil: undefined }),
        }),
        { maxLength: 8, selector: ({ kind, token, network }) => `${kind} ${token} ${network}` },
      ),
      fc.array(decimals(6, 10n ** 9n), { maxLength: 3 }),
      async (prices, positions, funds) => {
        const userId = await newUser();
        const priceOf = Object.fromEntries(tokens.map((token, at) => [token, prices[at]!]));
        await quote(priceOf);
        for (const [at, amount] of funds.entries())
          await makeFunds(harness, userId, 'ethereum', tokens[at]!, amount);
        await record(
          userId,
          positions.map(({ costUsd, ...one }) => ({
            ...one,
            ...(one.kind === 'tokenized' && costUsd && { costUsd }),
          })),
        );
        const balance = await balanceOf(userId);
        assert.equal(balance.byToken.length, funds.length + positions.length);

        const sums: Record<string, bigint> = { holding: 0n, staked: 0n, tokenized: 0n };
        let pnl = 0n;
        for (const { kind, token, network, amount, balanceUsd } of balance.byToken) {
          const position = positions.find(
            (one) => one.kind === kind && one.token === token && one.network === network,
          );
          const price = priceOf[token] ?? position?.priceUsd;
          assert.equal(balanceUsd === null, price === undefined);
          if (price === undefined) continue;
          // Both with 18 decimals: the product has 36, a cent is 10^34 of them.
          const exact = parseMinor(amount, 18)! * parseMinor(price, 18)!;
          const error = cents(balanceUsd) * 10n ** 34n - exact;
          assert.ok(
            2n * error <= 10n ** 34n && 2n * error > -(10n ** 34n),
            `${amount} × ${price} = ${balanceUsd}`,
          );
          sums[kind]! += cents(balanceUsd);
          if (kind === 'tokenized' && position?.costUsd) pnl += cents(balanceUsd) - cents(position.costUsd);
        }
        assert.deepEqual(
          [balance.holdingUsdValue, balance.stakedUsdValue, balance.tokenizedAssetsUsdValue].map(cents),
          [sums.holding, sums.staked, sums.tokenized],
        );
        assert.equal(cents(balance.totalUsdValue), sums.holding! + sums.staked! + sums.tokenized!);
        assert.equal(cents(balance.tokenizedAssetsPnl), pnl);
      },
    ),
    { numRuns: sized(12, 40) },
  );
});
