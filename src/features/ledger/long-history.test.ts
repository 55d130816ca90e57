import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Ctx, Deps } from '#context';
import { makeUser } from '#test/data/factories';
import { testConfig, testLog, useHarness } from '#test/harness';
import { expectFound } from '#test/models/found-model';
import {
  countNodes,
  expectAllPages,
  expectPage,
  expectStatement,
  LedgerModel,
  withoutKey,
} from '#test/models/ledger-model';
import { sized } from '#test/sizes';
import { createDeps } from '../../main.ts';
import { findLines } from './find/find-lines.ts';
import {
  type AccountFeature,
  accountFeatureNames,
  accountFeatures,
  type LineView,
  openStatement,
} from './index.ts';
import { fillAllKinds } from './jobs.ts';
import { lineTypes } from './lines/line.ts';
import type { BatchLine } from './post-batch.ts';
import { selectKindsQueue } from './queries/kinds.ts';
import { verifyLedger } from './verify/verify-ledger.ts';

const harness = useHarness();
const model = new LedgerModel();
const start = Date.UTC(2024, 0, 1);
const minute = 60_000;
const lineCount = 24_000;
let userId: string;
let deps: Deps | undefined;
let building: Promise<void> | undefined;
after(() => deps?.db.end());

/**
 * Of a process that waits for its statements for longer: on a busy machine a batch of thousands takes
 * seconds.
 */
const ctx = (): Ctx => ({ ...harness.operatorContext(), db: deps!.db });

/**
 * A ledger with nodes above nodes: most lines arrive in the order of their dates, four to a minute; then
 * thousands late, half of them in one minute, which is cut again and again.
 */
function buildOnce(): Promise<void> {
  building ??= (async () => {
    deps = createDeps({ ...testConfig(harness.databaseUrl), databaseStatementTimeoutMs: 100_000 }, testLog());
    ({ id: userId } = await makeUser(harness));
    await post(
      ['USDC', 'USDT', 'EURC'].map((currency) => ({
        userId,
        id: currency,
        description: 'Funds',
        transactionPurpose: 'test',
        transactionType: 'buy',
        network: currency === 'EURC' ? 'base' : 'polygon',
        assetReceived: currency,
        amountReceived: '1000000',
        transactionDate: new Date(start - minute).toISOString(),
      })),
    );
    for (let from = 3; from < lineCount; from += 2_000) {
      const numbers = Array.from({ length: Math.min(2_000, lineCount - from) }, (_, at) => from + at);
      await post(numbers.map((number) => lineAt(number, dateOf(number))));
    }
  })();
  return building;
}

const post = (lines: BatchLine[]) => model.post(ctx(), randomUUID(), lines);

function dateOf(number: number): number {
  if (number < 20_000) return start + Math.floor(number / 4) * minute;
  if (number % 2 === 0) return start + 2_500 * minute;
  return start + ((number * 7_919) % 5_000) * minute;
}

const kinds: Partial<BatchLine>[] = [
  { transactionType: 'buy', assetReceived: 'USDC', amountReceived: '3' },
  { transactionType: 'sell', assetSent: 'USDC', amountSent: '1' },
  { transactionType: 'transfer-token', assetSent: 'USDT', amountSent: '1' },
  { transactionType: 'buy', assetReceived: 'USDT', amountReceived: '2' },
  {
    transactionType: 'swap-bridge',
    assetSent: 'USDT',
    amountSent: '1',
    assetReceived: 'USDC',
    amountReceived: '1',
  },
  { transactionType: 'swap-bridge', network: 'base', assetReceived: 'EURC', amountReceived: '5' },
  { transactionType: 'transfer-token', assetReceived: 'USDC', amountReceived: '7' },
];

const lineAt = (number: number, at: number): BatchLine => ({
  userId,
  id: `op ${number}`,
  description: `Line ${number}`,
  transactionPurpose: 'test',
  network: 'polygon',
  transactionDate: new Date(at).toISOString(),
  ...(kinds[(number * 31) % kinds.length] as Pick<BatchLine, 'transactionType'>),
});

const anyMinute = fc.integer({ min: -2, max: 5_002 }).map((at) => new Date(start + at * minute));
const anyFeature = fc.constantFrom(...accountFeatureNames);

test('24,000 lines: a page at any depth, of any feature and window, is the one of a plain sum', async () => {
  await buildOnce();
  const levels = await countNodes(ctx().db, userId);
  assert.ok(levels.length >= 2 && levels[0]! > 64, `nodes of each level: ${levels}`);
  await fc.assert(
    fc.asyncProperty(
      anyFeature,
      fc.option(fc.tuple(anyMinute, anyMinute), { freq: 3 }),
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (feature, edges, pageSize, depth) => {
        const [startAt, endAt] = (edges ?? []).toSorted((a, b) => a.getTime() - b.getTime());
        const query = { userId, feature, startAt, endAt };
        const pages = Math.ceil(model.select(query).length / pageSize);
        await expectPage(ctx(), model, query, { pageSize, currentPage: Math.floor(depth * pages) });
        await expectPage(ctx(), model, query, { pageSize, currentPage: Math.max(0, pages - 1) });
      },
    ),
    { numRuns: sized(25, 80), interruptAfterTimeLimit: 40_000 },
  );
});

for (const [feature, startAt, endAt] of [
  ['account'],
  ['account-offramp'],
  ['account-portifolio', new Date(start + 100 * minute), new Date(start + 4_000 * minute)],
  // The minute that half of the late lines are in.
  ['account', new Date(start + 2_500 * minute), new Date(start + 2_500 * minute)],
] as [AccountFeature, Date?, Date?][]) {
  const when = startAt ? `${startAt.toISOString()} to ${endAt!.toISOString()}` : 'from the first to the last';
  test(`24,000 lines: all pages of ${feature} ${when}, and the statement, are those of a plain sum`, async () => {
    await buildOnce();
    const query = { userId, feature, startAt, endAt };
    await expectAllPages(ctx(), model, query, 200);
    await expectStatement(ctx(), model, query);
  });
}

const anyFilter = fc.record({
  types: fc.constantFrom(...[lineTypes, ...lineTypes.map((type) => [type])]),
  asset: fc.option(fc.constantFrom('USDC', 'USDT', 'EURC'), { nil: undefined }),
  network: fc.option(fc.constantFrom('polygon', 'base', 'ethereum'), { nil: undefined }),
  direction: fc.option(fc.constantFrom('in' as const, 'out' as const), { nil: undefined }),
  edges: fc.option(fc.tuple(anyMinute, anyMinute)),
  sort: fc.constantFrom('newest' as const, 'oldest' as const),
  limit: fc.integer({ min: 0, max: 60 }),
  depth: fc.double({ min: 0, max: 1.01, noNaN: true }),
});
const anySearch = fc.record({
  minAmount: fc.option(fc.constantFrom('1', '2', '6', '100'), { nil: undefined }),
  text: fc.option(fc.constantFrom('line 7', 'LINE 12', '99', 'nowhere'), { nil: undefined }),
  sort: fc.constantFrom('newest' as const, 'oldest' as const, 'largest' as const),
});

/** With several filters; with a search, at each line. */
async function expectFilters(runs: number, searches: typeof anySearch | undefined): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyFilter, searches ?? fc.constant({}), async ({ edges, depth, ...filter }, search) => {
      const [startAt, endAt] = (edges ?? []).toSorted((a, b) => a.getTime() - b.getTime());
      const query = { userId, ...filter, ...search, startAt, endAt };
      const { total } = await findLines(ctx(), { ...query, offset: 0, limit: 0 });
      await expectFound(ctx(), model, { ...query, offset: 0 });
      await expectFound(ctx(), model, { ...query, offset: Math.floor(depth * total) });
    }),
    { numRuns: runs, interruptAfterTimeLimit: 40_000 },
  );
}

test('24,000 lines: count, sums and pages of any filter are those of a plain sum, however much is stored', async () => {
  await buildOnce();
  const runs = sized(12, 60);
  const { db } = ctx();
  await expectFilters(runs, undefined);
  await expectFilters(runs, anySearch);
  // Some nodes of the lowest level; then all of them and those above; then also a third level.
  await fillAllKinds(deps!, 2);
  await expectFilters(runs, undefined);
  await fillAllKinds(deps!);
  assert.deepEqual(await selectKindsQueue(db, 10), []);
  await expectFilters(runs, undefined);
  await db.query(
    `select ledger_group_nodes(l, 2, '-infinity', 0, 'infinity', 0, false) from ledger_lists l where l.user_id = $1 and l.is_settled`,
    [userId],
  );
  await fillAllKinds(deps!);
  assert.ok((await countNodes(db, userId))[2]! > 0);
  await expectFilters(runs, undefined);
  // As if processes of an earlier release had made these nodes: nothing is queued.
  await db.query(
    `delete from ledger_kinds k using ledger_lists l where l.user_id = $1 and k.list_id = l.id and (k.level > 0 or k.first_number % 3 = 0)`,
    [userId],
  );
  await post([lineAt(49_000, start + 4_990 * minute)]);
  await fillAllKinds(deps!);
  assert.deepEqual(await selectKindsQueue(db, 10), []);
  await expectFilters(runs, undefined);
  assert.deepEqual((await verifyLedger(ctx(), { userId })).faults, []);
  // Late lines, which cut a node; before and after the job has seen them.
  const late = [3, 700, 2_500, 4_999].map((at, index) => lineAt(50_000 + index, start + at * minute));
  const many = Array.from({ length: 200 }, (_, index) => lineAt(51_000 + index, start + 1_234 * minute));
  await post([...late, ...many]);
  await expectFilters(runs, undefined);
  await fillAllKinds(deps!);
  await expectFilters(runs, undefined);
  assert.deepEqual((await verifyLedger(ctx(), { userId })).faults, []);
});

test('a statement is of one moment: what is posted while it is read does not appear', async () => {
  await buildOnce();
  const endAt = new Date(start + 6_000 * minute);
  const query = { userId, feature: 'account' as const, startAt: new Date(start + 10 * minute), endAt };
  const expected = model.select(query);
  const types = accountFeatures.account;
  const { batches, lineCount, readBalances } = await openStatement(ctx(), { ...query, types });
  const read: LineView[] = [];
  let posted = 0;
  for await (const batch of batches) {
    read.push(...batch);
    // Before what was read, after it, and of an asset that the user did not have.
    const seconds = [11, 1_000, 2_500, 4_900, 5_500].map((at) => start + at * minute);
    await post(seconds.map((at) => lineAt(100_000 + posted++, at)));
    await post([ofNewAsset(lineAt(200_000 + posted, start + 20 * minute))]);
  }
  assert.ok(posted > 20, 'it was read in several parts');
  assert.equal(lineCount, expected.length);
  assert.deepEqual(read.map(withoutKey), expected);
  for (const { network, currency, decimals, opening, closing } of await readBalances()) {
    let moved = 0n;
    for (const line of expected) {
      if (line.network !== network) continue;
      if (line.assetReceived === currency) moved += BigInt(line.amountReceived!);
      if (line.assetSent === currency) moved -= BigInt(line.amountSent!);
    }
    assert.equal(opening + moved * 10n ** BigInt(decimals), closing, `${currency} on ${network}`);
  }
  await expectStatement(ctx(), model, query);
  assert.deepEqual((await verifyLedger(ctx(), { userId })).faults, []);
});

const ofNewAsset = ({
  userId,
  id,
  description,
  transactionDate,
  transactionPurpose,
}: BatchLine): BatchLine => ({
  userId,
  id,
  description,
  transactionDate,
  transactionPurpose,
  transactionType: 'buy',
  network: 'ethereum',
  assetReceived: 'USDC',
  amountReceived: '1',
});
