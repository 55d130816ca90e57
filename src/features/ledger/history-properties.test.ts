import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCsv } from '#test/callers/read-csv';
import { readPdfRows } from '#test/callers/read-pdf';
import { makeUser } from '#test/data/factories';
import { gather, noValues } from '#test/data/sample-statement';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { useHarness } from '#test/harness';
import { expectFound } from '#test/models/found-model';
import {
  countNodes,
  expectAllPages,
  expectPage,
  expectStatement,
  LedgerModel,
  type LedgerQuery,
  shrinkNodes,
  withoutKey,
} from '#test/models/ledger-model';
import { sized } from '#test/sizes';
import { accountFeatureNames, accountFeatures } from './index.ts';
import { fillAllKinds } from './jobs.ts';
import { listLines } from './lines/list-lines.ts';
import type { BatchLine } from './post-batch.ts';
import { csvColumns } from './statement/csv.ts';
import { makeStatement, spellingOf } from './statement/index.ts';
import { signedAmount } from './statement/signed-amount.ts';
import { listUnsettled } from './unsettled/list-unsettled.ts';
import { recordUnsettled } from './unsettled/record-unsettled.ts';
import { settleUnsettled } from './unsettled/settle-unsettled.ts';
import { updateUnsettled } from './unsettled/update-unsettled.ts';
import { verifyLedger } from './verify/verify-ledger.ts';

const harness = useHarness();
let shrinking: Promise<void> | undefined;
/** Of a database whose nodes are small. */
const useSmallNodes = () => {
  shrinking ??= shrinkNodes(harness.deps.db);
  return shrinking;
};
const ctx = () => harness.operatorContext();

const start = Date.UTC(2024, 0, 1);
const hour = 3_600_000;
const assets = [
  { network: 'polygon', currency: 'USDC' },
  { network: 'polygon', currency: 'USDT' },
  { network: 'base', currency: 'EURC' },
] as const;

/** Few dates, so that many lines share one; or any within a year, so that most arrive late. */
const anyAt = fc.oneof(
  fc.nat(5).map((day) => start + day * 24 * hour),
  fc.nat(365 * 24).map((hours) => start + hours * hour),
);
const anySpec = fc.record({
  who: fc.nat(2),
  kind: fc.constantFrom('buy', 'sell', 'swap', 'bridge', 'transfer in', 'transfer out'),
  at: anyAt,
  asset: fc.nat(2),
  amount: fc.integer({ min: 1, max: 99 }),
});
type Spec = typeof anySpec extends fc.Arbitrary<infer S> ? S : never;

function toLines(spec: Spec, userIds: readonly string[], name: string): BatchLine[] {
  const { network, currency } = assets[spec.asset]!;
  const amount = String(spec.amount);
  const received = { network, assetReceived: currency, amountReceived: amount };
  const sent = { network, assetSent: currency, amountSent: amount };
  const line = (
    type: BatchLine['transactionType'],
    fields: Omit<Partial<BatchLine>, 'network'> & { network: string },
  ) => ({
    userId: userIds[spec.who]!,
    id: name,
    transactionType: type,
    transactionPurpose: 'test',
    transactionDate: new Date(spec.at).toISOString(),
    description: name,
    ...fields,
  });
  switch (spec.kind) {
    case 'buy':
      return [line('buy', received)];
    case 'sell':
      return [line('sell', sent)];
    case 'transfer in':
      return [line('transfer-token', received)];
    case 'transfer out':
      return [line('transfer-token', sent)];
    case 'swap':
      return [
        line('swap-bridge', {
          network: 'polygon',
          assetSent: 'USDC',
          amountSent: amount,
          assetReceived: 'USDT',
          amountReceived: amount,
        }),
      ];
    default:
      return [
        line('swap-bridge', { network: 'polygon', assetSent: 'USDC', amountSent: amount }),
        line('swap-bridge', { network: 'base', assetReceived: 'EURC', amountReceived: amount }),
      ];
  }
}

/**
 * What somebody who spends must have, at a date at which it may come too late for the running balance to stay
 * above zero.
 */
const fundsAt = (userId: string, at: number): BatchLine[] =>
  assets.map(({ network, currency }) => ({
    userId,
    id: `funds ${currency}`,
    transactionType: 'buy',
    network,
    transactionPurpose: 'test',
    assetReceived: currency,
    amountReceived: '1000000',
    description: 'Funds',
    transactionDate: new Date(at).toISOString(),
  }));

const anyBatch = fc.array(anySpec, { minLength: 1, maxLength: 50, size: 'max' });
const anyLedger = fc.record({
  fundedAt: fc.array(anyAt, { minLength: 3, maxLength: 3 }),
  batches: fc.array(anyBatch, { minLength: 1, maxLength: 7, size: 'max' }),
});

/** On dates that lines have, just before and just after them, and far from all. */
const anyEdge = fc.tuple(anyAt, fc.constantFrom(-1, 0, 0, 1)).map(([at, more]) => new Date(at + more));
const anyQuery = fc.record({
  who: fc.nat(2),
  feature: fc.constantFrom(...accountFeatureNames),
  edges: fc.option(fc.tuple(anyEdge, anyEdge), { freq: 4 }),
  open: fc.constantFrom('none', 'start', 'end'),
  pageSize: fc.integer({ min: 4, max: 70 }),
  depth: fc.nat(20),
  // The last number: every asset.
  asset: fc.nat(3),
  direction: fc.constantFrom('in' as const, 'out' as const, undefined),
});

type Query = typeof anyQuery extends fc.Arbitrary<infer Q> ? Q : never;

function toQuery({ who, feature, edges, open }: Query, userIds: string[]): LedgerQuery {
  const [startAt, endAt] = (edges ?? []).toSorted((a, b) => a.getTime() - b.getTime());
  return {
    userId: userIds[who]!,
    feature,
    ...(open !== 'start' && startAt && { startAt }),
    ...(open !== 'end' && endAt && { endAt }),
  };
}

/** Enough, and mostly in the order of their dates, for nodes at every level. */
const manyLines: Parameters<typeof toLines>[0][][] = Array.from({ length: 5 }, (_, batch) =>
  Array.from({ length: 50 }, (_, place) => ({
    who: 0,
    kind: (['buy', 'sell', 'swap', 'bridge'] as const)[place % 4]!,
    at: start + (place % 9 === 8 ? place : batch * 50 + place) * hour,
    asset: place % 3,
    amount: 1 + (place % 7),
  })),
);

test('whatever is posted in whatever order, pages and statements are what a plain sum over all lines gives', async () => {
  await useSmallNodes();
  let deepest = 0;
  await fc.assert(
    fc.asyncProperty(
      anyLedger,
      fc.array(anyQuery, { minLength: 6, maxLength: 6 }),
      async ({ fundedAt, batches }, queries) => {
        const users = await Promise.all([0, 1, 2].map(() => makeUser(harness)));
        const userIds = users.map(({ id }) => id);
        const model = new LedgerModel();
        await model.post(
          ctx(),
          randomUUID(),
          userIds.flatMap((userId, at) => fundsAt(userId, fundedAt[at]!)),
        );
        for (const [at, batch] of batches.entries()) {
          const lines = batch.flatMap((spec, place) => toLines(spec, userIds, `${at} ${place}`));
          await model.post(ctx(), randomUUID(), lines);
          // Now and then the job comes by, sometimes only for a part.
          if (at % 3 !== 1) await fillAllKinds(harness.deps, at % 3 === 0 ? 1 : 50);
        }
        for (const query of queries) {
          const { pageSize, depth } = query;
          const asked = toQuery(query, userIds);
          await expectAllPages(ctx(), model, asked, pageSize);
          await expectPage(ctx(), model, asked, { currentPage: depth, pageSize: Math.ceil(pageSize / 4) });
          await expectStatement(ctx(), model, asked);
          const { userId, feature, ...period } = asked;
          const { asset: place, direction } = query;
          const { network, currency } = assets[place] ?? {};
          const filter = {
            userId,
            types: accountFeatures[feature],
            network,
            asset: currency,
            direction,
            ...period,
          };
          for (const sort of ['newest', 'oldest', 'largest'] as const) {
            const page = { offset: depth * pageSize, limit: pageSize };
            await expectFound(ctx(), model, { ...filter, sort, ...page });
          }
        }
        for (const userId of userIds) {
          deepest = Math.max(deepest, (await countNodes(harness.deps.db, userId)).length);
          assert.deepEqual((await verifyLedger(ctx(), { userId })).faults, []);
        }
      },
    ),
    {
      numRuns: sized(8, 25),
      interruptAfterTimeLimit: 40_000,
      examples: [[{ fundedAt: [start, start, start], batches: manyLines }, []]],
    },
  );
  assert.equal(deepest, 3, 'levels of nodes that were made');
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});

const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('record'), at: anyAt, isBridge: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('settle', 'update'), which: fc.nat(200) }) },
);

type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** Enough, and mostly in the order of their dates, for nodes at every level. */
const manySteps: Step[] = Array.from({ length: 140 }, (_, place) =>
  place % 7 === 6
    ? { kind: 'settle', which: place * 31 }
    : { kind: 'record', at: start + (place % 5 === 4 ? place / 2 : place) * hour, isBridge: place % 4 === 0 },
);

test('whatever is recorded and settled, pages of what is unsettled are those of a plain list', async () => {
  await useSmallNodes();
  let deepest = 0;
  const pageSize = 7;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 30, maxLength: 120, size: 'max' }),
      fc.array(fc.tuple(anyEdge, anyEdge), { minLength: 4, maxLength: 4 }),
      async (steps, windows) => {
        const { id: userId } = await makeUser(harness);
        const list: { id: string; at: number; order: number; network: string }[] = [];
        for (const [order, step] of steps.entries()) {
          if ('at' in step) {
            const networks = step.isBridge ? ['polygon', 'base'] : ['polygon'];
            const id = String(order);
            await recordUnsettled(ctx(), {
              userId,
              id,
              transactionType: step.isBridge ? 'swap-bridge' : 'buy',
              status: 'pending',
              transactionDate: new Date(step.at).toISOString(),
              description: 'x',
              legs: networks.map((network) => ({ network, assetReceived: 'USDC', amountReceived: '1' })),
            });
            for (const [leg, network] of networks.entries())
              list.push({ id, at: step.at, order: order + leg / 2, network });
          } else if (list.length > 0) {
            const { id } = list[step.which % list.length]!;
            if (step.kind === 'update') {
              await updateUnsettled(ctx(), { userId, id, description: 'y' });
            } else {
              await settleUnsettled(ctx(), { userId, id });
              for (let at = list.length - 1; at >= 0; at--) if (list[at]!.id === id) list.splice(at, 1);
            }
          }
        }
        list.sort((a, b) => b.at - a.at || b.order - a.order);
        for (const edges of [[], ...windows]) {
          const [startAt, endAt] = edges.toSorted((a, b) => a.getTime() - b.getTime());
          const expected = list
            .filter(({ at }) => (!startAt || at >= startAt.getTime()) && (!endAt || at <= endAt.getTime()))
            .map(({ id, network }) => `${id} ${network}`);
          for (let currentPage = 0; currentPage * pageSize <= expected.length; currentPage++) {
            const asked = { userId, startAt, endAt, currentPage, pageSize };
            const { total, records } = await listUnsettled(ctx(), asked);
            assert.equal(total, expected.length);
            assert.deepEqual(
              records.map(({ id, network }) => `${id} ${network}`),
              expected.slice(currentPage * pageSize, (currentPage + 1) * pageSize),
            );
          }
        }
        deepest = Math.max(deepest, (await countNodes(harness.deps.db, userId, false)).length);
        assert.deepEqual((await verifyLedger(ctx(), { userId })).faults, []);
      },
    ),
    { numRuns: sized(3, 8), interruptAfterTimeLimit: 40_000, examples: [[manySteps, []]] },
  );
  assert.equal(deepest, 3, 'levels of nodes that were made');
});

test('the rows of the CSV, the rows of the PDF and the nodes of all pages are the same', async () => {
  const { id: userId } = await makeUser(harness);
  const model = new LedgerModel();
  const specs = fc.sample(anySpec, { seed: 7, numRuns: 120 });
  await model.post(ctx(), randomUUID(), [
    ...fundsAt(userId, start),
    ...specs.flatMap((spec, place) => toLines(spec, [userId, userId, userId], `op ${place}`)),
  ]);
  for (const feature of accountFeatureNames) {
    const types = accountFeatures[feature];
    for (const period of [{}, { startAt: new Date(start), endAt: new Date(start + 90 * 24 * hour) }]) {
      const { lines, total } = await listLines(ctx(), {
        userId,
        types,
        ...period,
        currentPage: 0,
        pageSize: 200,
      });
      assert.deepEqual(lines.map(withoutKey), model.select({ userId, feature, ...period }));
      const make = async (format: 'csv' | 'pdf') =>
        gather((await makeStatement(ctx(), { userId, feature, format, ...period }, noValues)).chunks);
      const rows = readCsv((await make('csv')).toString());
      assert.deepEqual([rows.length, total], [lines.length, lines.length]);
      assert.deepEqual(
        rows,
        lines.map((line) => ({
          ...Object.fromEntries(csvColumns.map((name) => [name, line[name] ?? ''])),
          signedAmount: signedAmount(line),
        })),
      );
      const shown = (await readPdfRows(await make('pdf'))).map((row) => [
        row.day,
        row.time,
        row.transactionType,
        row.description,
        row.key,
        row.network,
        row.asset,
        row.amount,
        row.runningBalance,
      ]);
      assert.deepEqual(
        shown,
        lines.map((line) => [
          spellingOf('en').day(new Date(line.transactionDate)),
          line.transactionDate.slice(11, 19),
          line.transactionType,
          line.description,
          line.uniqueHashId,
          line.network,
          line.asset,
          signedAmount(line),
          line.runningBalance,
        ]),
      );
    }
  }
});
