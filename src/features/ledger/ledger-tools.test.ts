import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { inTransaction } from '#context';
import type { IssuedKey } from '#features/keys';
import {
  callerOf,
  checkTool,
  keyContext,
  noteStatements,
  readAllPages,
  refusalOf,
} from '#test/callers/tool-call';
import { type LineFields, makeFunds, makeKey, makeLines } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { holdFunds } from './hold-funds.ts';
import { postDeposits } from './post-deposits.ts';
import { postWithdrawals } from './post-withdrawals.ts';
import { lockAccounts } from './queries/accounts.ts';
import { ledgerTools } from './tools.ts';

const harness = useHarness();
const callTool = callerOf(ledgerTools);
const [tool] = ledgerTools;
const makeHash = () => `0x${randomBytes(32).toString('hex')}`;

let owner: IssuedKey;
beforeEach(async () => {
  owner = await makeKey(harness, { scopes: ['mcp'] });
});

const call = (args: object = {}, key = owner) =>
  callTool(keyContext(harness, key), 'getAccountHistory', args);
const post = (lines: readonly LineFields[], key = owner) => makeLines(harness, key.userId, lines);

test('the tool says what a client must know', () => checkTool(tool!));

test('the fields of the contract’s table, for each way in which money goes', async () => {
  const hash = makeHash();
  await post([
    {
      id: 'a deposit',
      transactionDate: '2026-01-01T10:00:00.000Z',
      description: 'Salary',
      assetReceived: 'USDC',
      amountReceived: '100.5',
      transactionHash: hash.toUpperCase().replace('X', 'x'),
      logIndex: 3,
    },
    {
      id: 'a swap',
      transactionDate: '2026-01-02T10:00:00.000Z',
      transactionType: 'swap-bridge',
      network: 'base',
      assetReceived: 'EURC',
      amountReceived: '3',
      description: 'Swap',
    },
    {
      id: 'a swap',
      transactionDate: '2026-01-02T10:00:00.000Z',
      transactionType: 'swap-bridge',
      assetSent: 'USDC',
      amountSent: '3.25',
      description: 'Swap',
    },
    {
      id: 'an exchange',
      transactionDate: '2026-01-03T10:00:00.000Z',
      transactionType: 'swap-bridge',
      assetSent: 'USDC',
      amountSent: '2',
      assetReceived: 'USDT',
      amountReceived: '1.99',
      description: 'Swap',
    },
  ]);
  const common = { status: 'completed' };
  const swap = { ...common, description: 'Swap', type: 'swap-bridge' };
  const whole = await call({ includeIds: true });
  const withoutIds = await call();
  assert.deepEqual(
    withoutIds.transactions,
    whole.transactions.map(({ id: _, transactionHash: __, ...rest }: Record<string, unknown>) => rest),
  );
  assert.deepEqual(whole, {
    userId: owner.userId,
    count: 4,
    truncated: false,
    hasEurcActivity: true,
    summary: {
      count: 4,
      totals: [
        {
          asset: 'EURC',
          received: '3',
          receivedCount: 1,
          sent: '0',
          sentCount: 0,
          receivedByConversion: '3',
        },
        {
          asset: 'USDC',
          received: '100.5',
          receivedCount: 1,
          sent: '5.25',
          sentCount: 2,
          sentByConversion: '5.25',
        },
        {
          asset: 'USDT',
          received: '1.99',
          receivedCount: 1,
          sent: '0',
          sentCount: 0,
          receivedByConversion: '1.99',
        },
      ],
    },
    transactions: [
      {
        ...swap,
        kind: 'swap',
        transactionDate: '2026-01-03T10:00:00.000Z',
        assetReceived: 'USDT',
        amountReceived: '1.99',
        assetSent: 'USDC',
        amountSent: '2',
        id: 'an exchange',
        network: 'polygon',
      },
      {
        ...swap,
        kind: 'bridge',
        transactionDate: '2026-01-02T10:00:00.000Z',
        assetSent: 'USDC',
        amountSent: '3.25',
        id: 'a swap',
        network: 'polygon',
      },
      {
        ...swap,
        kind: 'bridge',
        transactionDate: '2026-01-02T10:00:00.000Z',
        assetReceived: 'EURC',
        amountReceived: '3',
        id: 'a swap',
        network: 'base',
      },
      {
        ...common,
        transactionDate: '2026-01-01T10:00:00.000Z',
        type: 'buy',
        description: 'Salary',
        assetReceived: 'USDC',
        amountReceived: '100.5',
        id: 'a deposit',
        network: 'polygon',
        transactionHash: hash,
      },
    ],
  });
});

test('a period is echoed as it was given, and EURC counts only where it moves in that period', async () => {
  await post([
    { transactionDate: '2026-01-01T00:00:00Z', network: 'base', assetReceived: 'EURC', amountReceived: '1' },
    { transactionDate: '2026-01-02T23:59:59.999Z' },
    { transactionDate: '2026-01-03T00:00:00Z' },
  ]);
  const day = { startDate: '2026-01-02', endDate: '2026-01-02' };
  const { transactions, ...rest } = await call(day);
  assert.deepEqual(rest, {
    userId: owner.userId,
    ...day,
    count: 1,
    truncated: false,
    hasEurcActivity: false,
    summary: {
      count: 1,
      totals: [{ asset: 'USDC', received: '1', receivedCount: 1, sent: '0', sentCount: 0 }],
    },
  });
  assert.equal(transactions[0].transactionDate, '2026-01-02T23:59:59.999Z');
  const since = await call({ startDate: '2026-01-02T02:00:00+02:00' });
  assert.deepEqual(
    [since.count, since.startDate, 'endDate' in since],
    [2, '2026-01-02T02:00:00+02:00', false],
  );
  assert.equal((await call({ endDate: '2026-01-01' })).hasEurcActivity, true);
  for (const currentPage of [0, 1, 2, 3]) {
    const page = await call({ limit: 1, currentPage });
    assert.equal(page.hasEurcActivity, true, `page ${currentPage} of the whole period`);
    const later = await call({ startDate: '2026-01-02', limit: 1, currentPage });
    assert.equal(later.hasEurcActivity, false);
  }
  const none = await call({ startDate: '2027-01-01' });
  assert.deepEqual([none.count, none.transactions, none.truncated], [0, [], false]);
});

test('nextArguments lead through all of it, and what is new meanwhile moves nothing', async () => {
  const now = Date.now();
  // Some at one instant, some from ahead of our clock.
  const dates = Array.from(
    { length: 23 },
    (_, at) => new Date(now + 5_400_000 - Math.floor(at / 2) * 3_600_000),
  );
  await post(dates.map((date, at) => ({ id: `line ${at}`, transactionDate: date.toISOString() })));
  const { transactions: whole } = await call({ limit: 500, includeIds: true });
  assert.equal(whole.length, 23);
  for (const args of [
    { limit: 5, includeIds: true },
    { limit: 1, includeIds: true },
    { limit: 23, includeIds: true },
    { limit: 4, includeIds: true, startDate: dates[20]!.toISOString() },
  ]) {
    const pages = await readAllPages(async (next) => {
      const page = await call(next);
      await post([{ transactionDate: new Date(Date.now() + 7_200_000).toISOString() }]);
      return page;
    }, args);
    const read = pages.flatMap(({ transactions }) => transactions);
    const isNew = ({ id }: { id: string }) => !id.startsWith('line ');
    const expected = 'startDate' in args ? whole.slice(0, 22) : whole;
    assert.deepEqual(
      read.filter((each) => !isNew(each)),
      expected,
    );
    for (const { truncated, count, nextArguments } of pages.slice(0, -1)) {
      assert.deepEqual([truncated, count], [true, args.limit]);
      assert.ok(nextArguments.endDate);
    }
    assert.deepEqual([pages.at(-1).truncated, 'nextArguments' in pages.at(-1)], [false, false]);
  }
  const deep = await call({ limit: 3, currentPage: 2 });
  assert.deepEqual(
    deep.nextArguments,
    { limit: 3, currentPage: 3 },
    'what was not pinned at first is not later',
  );
});

test('one transaction by its hash, in any case: all of its lines, and echoed', async () => {
  const [hash, other] = [makeHash(), makeHash()];
  // Beside the one that is looked for, in the order of bytes and as a beginning.
  const next = `${hash.slice(0, -1)}${hash.endsWith('f') ? 'e' : 'f'}`;
  await post([
    { id: 'one', transactionHash: hash, logIndex: 2, transactionDate: '2026-02-01T00:00:00Z' },
    { id: 'two', transactionHash: hash, logIndex: 11, transactionDate: '2026-02-02T00:00:00Z' },
    { id: 'three', transactionHash: other, logIndex: 2 },
    { id: 'four', transactionHash: next, logIndex: 2 },
    { id: 'two' },
  ]);
  for (const filterByHash of [hash, `0x${hash.slice(2).toUpperCase()}`]) {
    const { transactions, ...rest } = await call({ filterByHash });
    assert.deepEqual(rest, {
      userId: owner.userId,
      filterByHash,
      state: 'settled',
      count: 2,
      truncated: false,
      hasEurcActivity: false,
    });
    assert.deepEqual(
      transactions.map(({ id, transactionHash }: { id: string; transactionHash: string }) => [
        id,
        transactionHash,
      ]),
      [
        ['two', hash],
        ['one', hash],
      ],
    );
  }
});

test('a withdrawal to oneself is two lines, of which one has the place on chain: both are of the transaction', async () => {
  const { userId } = owner;
  const asset = { network: 'polygon', currency: 'USDC' };
  const place = { transactionHash: makeHash(), logIndex: 0 };
  await makeFunds(harness, userId, 'polygon', 'USDC', '5');
  const withdrawalId = crypto.randomUUID();
  const amount = 1_000_000n;
  await inTransaction(harness.operatorContext(), async ({ db }) => {
    const [account] = await lockAccounts(db, [{ userId, ...asset }]);
    await holdFunds(db, [{ accountId: account!.accountId, amount }]);
  });
  await postWithdrawals(harness.operatorContext(), [
    {
      userId,
      ...asset,
      withdrawalId,
      amount,
      recipientUserId: userId,
      ...place,
      description: 'Withdrawal',
    },
  ]);
  const { transactions } = await call({ filterByHash: place.transactionHash });
  assert.deepEqual(transactions.map(({ id, type }: { id: string; type: string }) => [id, type]).toSorted(), [
    [withdrawalId, 'buy'],
    [withdrawalId, 'sell'],
  ]);
});

test('a deposit whose place on chain the user’s own withdrawal has is found with it', async () => {
  const { userId } = owner;
  const hash = makeHash();
  await post([
    { assetReceived: 'USDC', amountReceived: '9' },
    { transactionType: 'sell', assetSent: 'USDC', amountSent: '9', transactionHash: hash, logIndex: 4 },
  ]);
  await postDeposits(harness.operatorContext(), [
    {
      userId,
      network: 'polygon',
      currency: 'USDC',
      amount: 5n,
      transactionHash: hash,
      logIndex: 4,
      at: new Date(),
    },
  ]);
  const { count, transactions } = await call({ filterByHash: hash });
  assert.equal(count, 2);
  assert.deepEqual(
    transactions
      .map(({ amountSent, amountReceived }: Record<string, string>) => amountReceived ?? `-${amountSent}`)
      .toSorted(),
    ['-9', '0.000005'],
  );
});

test('404 a hash of nobody’s, or of somebody else’s alone; of a shared one only one’s own lines', async () => {
  const stranger = await makeKey(harness);
  const [theirs, shared] = [makeHash(), makeHash()];
  await post([{ id: 'theirs', transactionHash: theirs, logIndex: 1 }], stranger);
  const sent = { transactionType: 'sell', assetSent: 'USDC', amountSent: '1' } as const;
  await post([{ id: 'sent', ...sent, transactionHash: shared, logIndex: 1 }], stranger);
  await post([{ id: 'mine', transactionHash: shared, logIndex: 1 }]);
  for (const filterByHash of [makeHash(), theirs]) {
    const { status, code, message } = await refusalOf(call({ filterByHash }));
    assert.deepEqual([status, code], [404, 'transaction_not_found']);
    assert.match(message, /once it is settled.*getAccountHistory/);
  }
  const { transactions } = await call({ filterByHash: shared });
  assert.deepEqual(
    transactions.map(({ id }: { id: string }) => id),
    ['mine'],
  );
  assert.equal((await call({}, stranger)).count, 2);
});

test('the look-up of a hash reads no more of a long ledger than it gives', async () => {
  const hash = makeHash();
  for (let batch = 0; batch < 4; batch++) {
    await post(
      Array.from({ length: 250 }, (_, at) => ({
        transactionHash: makeHash(),
        logIndex: at,
        description: 'x',
      })),
    );
  }
  await post([{ id: 'wanted', transactionHash: hash, logIndex: 1 }]);
  const { db } = harness.deps;
  for (const table of ['lines', 'lists', 'accounts', 'postings']) await db.query(`analyze ledger_${table}`);
  const ctx = keyContext(harness, owner);
  const texts = noteStatements(ctx);
  await callTool(ctx, 'getAccountHistory', { filterByHash: hash });
  assert.equal(texts.length, 2, 'the lines, and who is on the other side');
  const plan = await db.transaction(async (db) => {
    await db.query(`set local plan_cache_mode = force_generic_plan`);
    await db.query(`prepare look_up (uuid, text) as ${texts[0]}`);
    const [row] = await db.query(
      `explain (analyze, format json) execute look_up ('${owner.userId}', '${hash}')`,
    );
    await db.query('deallocate look_up');
    return (row!['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan;
  });
  const scans = scansOf(plan, 'ledger_lines');
  assert.deepEqual(scans.map((scan) => scan['Index Name']).toSorted(), [
    'ledger_lines_by_operation',
    'ledger_lines_unique_hash_id_key',
  ]);
  for (const scan of scans) assert.ok(scan['Actual Rows'] <= 1 && !scan['Rows Removed by Filter']);
});

interface PlanNode {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const scansOf = (node: PlanNode, table: string): PlanNode[] => [
  ...(node['Relation Name'] === table ? [node] : []),
  ...(node.Plans ?? []).flatMap((inner) => scansOf(inner, table)),
];

test('400 what does not go together, or is no date', async () => {
  const filterByHash = makeHash();
  for (const other of [
    { limit: 5 },
    { startDate: '2026-01-01' },
    { endDate: '2026-01-01' },
    { currentPage: 0 },
  ]) {
    const { status, message } = await refusalOf(call({ filterByHash, ...other }));
    assert.equal(status, 400);
    assert.match(message, new RegExp(`^filterByHash cannot be combined with ${Object.keys(other)[0]}: `));
  }
  for (const [args, field] of [
    [{ startDate: 'yesterday!' }, 'startDate'],
    [{ endDate: '2026-02-30' }, 'endDate'],
    [{ startDate: '2026-01-02', endDate: '2026-01-01' }, 'startDate'],
  ] as const) {
    const { status, message } = await refusalOf(call(args));
    assert.equal(status, 400);
    assert.ok(message.startsWith(`${field} must `), message);
  }
});

test('what the input does not allow', () => {
  const input = Compile(tool!.input);
  const hash = makeHash();
  for (const bad of [
    { filterByHash: hash.slice(2) },
    { filterByHash: `${hash}0` },
    { filterByHash: hash.replace(/.$/, 'g') },
    { limit: 0 },
    { limit: 501 },
    { limit: 1.5 },
    { limit: '5' },
    { currentPage: -1 },
    { userId: 'somebody' },
    { startDate: null },
  ]) {
    assert.equal(input.Check(bad), false, JSON.stringify(bad));
  }
  assert.equal(input.Check({}), true);
});

test('descriptions of others are on one line, without what hides in them, and bounded', async () => {
  await post([
    { description: `Invoice \u202e7\u202c\u200b ${'x'.repeat(250)}`.slice(0, 250), id: 'order \u2066 7' },
  ]);
  const { transactions } = await call({ includeIds: true });
  assert.match(transactions[0].description, /^Invoice 7 x+…$/);
  assert.ok(transactions[0].description.length <= 200);
  assert.equal(transactions[0].id, 'order 7');
});
