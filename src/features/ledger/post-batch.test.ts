import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type LineFields, lineOf, makeFunds, makeKey, makeUser, makeWithdrawal } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { ask, testConfig, testLog, useHarness } from '#test/harness';
import { buildApp } from '../../app.ts';
import { createDeps } from '../../main.ts';
import { accountFeatures } from './index.ts';
import { listLines } from './lines/list-lines.ts';
import { listBalances } from './list-balances.ts';

const harness = useHarness();
const post = (lines: unknown, key: unknown = randomUUID()) => harness.operator('ledger.post', { key, lines });
const ctx = () => harness.operatorContext();
const makeUserId = async () => (await makeUser(harness)).id;
const makeHash = () => `0x${randomBytes(32).toString('hex')}`;
const unknownId = '0198a0de-ffff-7000-8000-000000000000';
const types = accountFeatures.account;
const funds = (userId: string, amountReceived = '100') =>
  lineOf(userId, { assetReceived: 'USDC', amountReceived });
const spending = (userId: string, amountSent: string, fields: LineFields = {}) =>
  lineOf(userId, { transactionType: 'sell', assetSent: 'USDC', amountSent, ...fields });

const linesOf = async (userId: string) =>
  (await listLines(ctx(), { userId, types, currentPage: 0, pageSize: 200 })).lines;
const balancesOf = async (userId: string) =>
  (await listBalances(ctx(), { userId })).items.map(({ network, currency, balance }) => [
    network,
    currency,
    balance,
  ]);

/** How much there is of everything that a posting writes. */
async function countAll(): Promise<unknown> {
  const [row] = await harness.deps.db.query(
    `select (select count(*) from ledger_lines) as lines, (select count(*) from ledger_postings) as postings,
       (select count(*) from ledger_entries) as entries, (select count(*) from ledger_movements) as movements,
       (select count(*) from ledger_accounts) as accounts, (select sum(last_number) from ledger_lists) as numbers,
       (select count(*) from audit_log) as audit`,
  );
  return row;
}

test('200 ledger.post: every kind of line, in their order, and what the user has afterwards', async () => {
  const userId = await makeUserId();
  const { status, body } = await post([
    funds(userId.toUpperCase()),
    spending(userId, '1.5'),
    lineOf(userId, {
      transactionType: 'swap-bridge',
      assetSent: 'USDC',
      amountSent: '20',
      assetReceived: 'USDT',
      amountReceived: '19.99',
    }),
    lineOf(userId, { id: 'b', transactionType: 'swap-bridge', assetSent: 'USDC', amountSent: '10' }),
    lineOf(userId, {
      id: 'b',
      transactionType: 'swap-bridge',
      network: 'Base',
      assetReceived: 'eurc',
      amountReceived: '9',
    }),
    lineOf(userId, { transactionType: 'transfer-token', assetSent: 'USDT', amountSent: '19.99' }),
    lineOf(userId, { transactionType: 'transfer-token', assetReceived: 'USDC', amountReceived: '0.000001' }),
  ]);
  assert.equal(status, 200, JSON.stringify(body));
  const { postingId, ...rest } = body.data;
  assert.match(postingId, /^[1-9]\d*$/);
  assert.deepEqual(rest, { lines: 7, replayed: false });
  const lines = await linesOf(userId);
  assert.deepEqual(
    lines.toReversed().map(({ asset, amount, runningBalance }) => [asset, amount, runningBalance]),
    [
      ['USDC', '100', '100'],
      ['USDC', '1.5', '98.5'],
      ['USDT', '19.99', '19.99'],
      ['USDC', '10', '68.5'],
      ['EURC', '9', '9'],
      ['USDT', '19.99', '0'],
      ['USDC', '0.000001', '68.500001'],
    ],
  );
  assert.deepEqual(await balancesOf(userId), [
    ['base', 'EURC', '9'],
    ['polygon', 'USDC', '68.500001'],
    ['polygon', 'USDT', '0'],
  ]);
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});

test('200 ledger.post: what a line does not say: the date is now, the id its own, the purpose that of its type', async () => {
  const userId = await makeUserId();
  const before = Date.now();
  await post([funds(userId), funds(userId)]);
  const [one, other] = await linesOf(userId);
  assert.ok(Date.parse(one!.transactionDate) >= before && Date.parse(one!.transactionDate) <= Date.now());
  assert.equal(one!.transactionDate, other!.transactionDate);
  assert.notEqual(one!.id, other!.id);
  const { executedAt, userDescription, transactionPurpose } = one!;
  assert.deepEqual([executedAt, userDescription, transactionPurpose], [null, null, 'deposit']);
});

test('200 ledger.post: one batch over many users, each with their own lines, and one row in the audit log', async () => {
  const userIds = await Promise.all(Array.from({ length: 12 }, makeUserId));
  const key = `batch ${randomUUID()}`;
  const { status, body } = await post(
    Array.from({ length: 60 }, (_, at) =>
      lineOf(userIds[at % 12]!, { id: `line ${at}`, assetReceived: 'USDC', amountReceived: String(at + 1) }),
    ),
    key,
  );
  assert.equal(status, 200, body.error);
  for (const [at, userId] of userIds.entries()) {
    const lines = await linesOf(userId);
    assert.deepEqual(
      lines.map(({ id }) => id),
      [48, 36, 24, 12, 0].map((more) => `line ${at + more}`),
    );
    assert.equal(lines[0]!.runningBalance, String(5 * (at + 1) + 120));
  }
  const subject = `posting:${body.data.postingId}`;
  const { items } = (await harness.operator('audit.list', { subject })).body.data;
  assert.equal(items.length, 1);
  const { action, after } = items[0];
  assert.deepEqual([action, after], ['ledger.post', { key, lines: 60, users: 12 }]);
});

test('200 ledger.post: a transfer between two users, whose ledgers share its id and its place on chain', async () => {
  const [from, to] = [await makeUserId(), await makeUserId()];
  await post([funds(from, '10')]);
  const onChain = { transactionHash: makeHash(), logIndex: 2 };
  const transfer = { id: 'gift', transactionType: 'transfer-token', ...onChain } as const;
  const { status } = await post([
    lineOf(from, { ...transfer, assetSent: 'USDC', amountSent: '4' }),
    lineOf(to, { ...transfer, assetReceived: 'USDC', amountReceived: '4' }),
  ]);
  assert.equal(status, 200);
  assert.deepEqual([await balancesOf(from), await balancesOf(to)].flat(), [
    ['polygon', 'USDC', '6'],
    ['polygon', 'USDC', '4'],
  ]);
  assert.equal((await linesOf(from))[0]!.uniqueHashId, (await linesOf(to))[0]!.uniqueHashId);
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});

test('200 ledger.post: within a batch, a line may spend what a later one brings', async () => {
  const userId = await makeUserId();
  const { status } = await post([spending(userId, '5'), funds(userId, '5')]);
  assert.equal(status, 200);
  assert.deepEqual(
    (await linesOf(userId)).map(({ runningBalance }) => runningBalance),
    ['0', '-5'],
  );
});

test('200 ledger.post: 10,000 lines in one call, and the same again', async () => {
  // Of a process that waits for its statements for longer: on a busy machine this one takes seconds.
  const config = { ...testConfig(harness.databaseUrl), databaseStatementTimeoutMs: 100_000 };
  const deps = createDeps(config, testLog());
  const server = await buildApp(deps, { ...config, servesApi: true });
  try {
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const [one, other] = [await makeUserId(), await makeUserId()];
    const lines = Array.from({ length: 10_000 }, (_, at) =>
      lineOf(at % 4 === 3 ? other : one, { id: String(at) }),
    );
    const call = () =>
      ask(`${url}/operator/ledger.post`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${config.operatorTokens.get('tester')!.token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ key: 'ten thousand', lines }),
      });
    const { status, body } = await call();
    assert.equal(status, 200, body.error);
    assert.deepEqual([body.data.lines, body.data.replayed], [10_000, false]);
    const page = { types, currentPage: 0, pageSize: 2 };
    const ofOne = await listLines(ctx(), { userId: one, ...page });
    const ofOther = await listLines(ctx(), { userId: other, ...page });
    assert.deepEqual([ofOne.total, ofOther.total], [7_500, 2_500]);
    assert.deepEqual(
      [...ofOne.lines, ...ofOther.lines].map(({ id, runningBalance }) => [id, runningBalance]),
      [
        ['9998', '7500'],
        ['9997', '7499'],
        ['9999', '2500'],
        ['9995', '2499'],
      ],
    );
    const again = await call();
    assert.deepEqual(again.body.data, { ...body.data, replayed: true });
    assert.equal((await listLines(ctx(), { userId: one, ...page })).total, 7_500);
  } finally {
    await server.close();
    await deps.db.end();
  }
});

// All or nothing

type Place = { transactionHash: string; logIndex: number };
for (const [status, error, bad] of [
  [400, 'lines.3.amountSent must be a decimal above 0', (id) => spending(id, '0.0000001')],
  [404, 'lines[3]: User not found', () => funds(unknownId)],
  [409, 'lines[3]: insufficient balance of USDC on polygon', (id) => spending(id, '1000')],
  [
    409,
    'lines[3]: a line with this transactionHash and logIndex is in a ledger',
    (id, place) => lineOf(id, place),
  ],
  [409, 'lines[3]: An unsettled record has this id: settle it instead', (id) => lineOf(id, { id: 'begun' })],
] as [number, string, (userId: string, place: Place) => object][]) {
  test(`${status} ledger.post: ${error}: nothing of the batch is stored`, async () => {
    const [userId, other] = [await makeUserId(), await makeUserId()];
    const place = { transactionHash: makeHash(), logIndex: 1 };
    await post([lineOf(userId, place)]);
    const legs = [{ network: 'polygon', assetReceived: 'USDC', amountReceived: '1' }];
    const record = { userId, id: 'begun', transactionType: 'buy', status: 'pending', description: 'x', legs };
    assert.equal((await harness.operator('ledger.record-unsettled', record)).status, 200);
    const before = await countAll();
    const lines = [funds(userId), funds(other), spending(userId, '1'), bad(userId, place), funds(userId)];
    const key = `all or nothing ${randomUUID()}`;
    const answer = await post(lines, key);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.ok(answer.body.error.startsWith(error), answer.body.error);
    assert.deepEqual(await countAll(), before);
    assert.deepEqual([(await linesOf(userId)).length, (await linesOf(other)).length], [1, 0]);
    // Nor is its key used up.
    const good = await post(lines.toSpliced(3, 1), key);
    assert.deepEqual([good.status, good.body.data.replayed], [200, false]);
  });
}

test('404 ledger.post: the line of the unknown user is named', async () => {
  const { status, body } = await post([funds(await makeUserId()), funds(unknownId)]);
  assert.equal(status, 404);
  assert.deepEqual(body.details, [{ field: 'lines.1.userId', message: 'is not the id of a user' }]);
});

test('409 ledger.post: the unsettled record that a line is is named', async () => {
  const userId = await makeUserId();
  const legs = [{ network: 'polygon', assetReceived: 'USDC', amountReceived: '1' }];
  const record = { userId, id: 'begun', transactionType: 'buy', status: 'pending', description: 'x', legs };
  await harness.operator('ledger.record-unsettled', record);
  const { body } = await post([funds(userId), lineOf(userId.toUpperCase(), { id: 'begun' })]);
  assert.deepEqual(body.details, [{ field: 'lines.1.id', message: 'is the id of an unsettled record' }]);
});

test('409 ledger.post: an account that dips below zero and has enough in the end is not to blame', async () => {
  const [dips, lacks] = [await makeUserId(), await makeUserId()];
  const { status, body } = await post([spending(dips, '1'), funds(dips), spending(lacks, '1')]);
  assert.deepEqual([status, body.error], [409, 'lines[2]: insufficient balance of USDC on polygon']);
});

test('409 ledger.post: what is held for a withdrawal is not there to be spent', async () => {
  const key = await makeKey(harness);
  const { userId } = key;
  await makeFunds(harness, userId, 'polygon', 'USDC', '10');
  await harness.deps.db.query('update ledger_accounts set held = 6000000 where user_id = $1', [userId]);
  const refused = await post([spending(userId, '4.000001')]);
  assert.equal(refused.status, 409);
  assert.equal((await post([spending(userId, '4')])).status, 200);
});

test('409 ledger.post: one place on chain twice, in one batch or in any spelling', async () => {
  const userId = await makeUserId();
  const transactionHash = `0x${'ab'.repeat(32)}`;
  const spelt = `0x${'AB'.repeat(32)}`;
  const twice = [
    lineOf(userId, { transactionHash, logIndex: 0 }),
    lineOf(userId, { transactionHash: spelt, logIndex: 0 }),
  ];
  const both = await post(twice);
  assert.deepEqual([both.status, both.body.details[0].field], [409, 'lines.1']);
  assert.equal((await post(twice.slice(0, 1))).status, 200);
  const { status, body } = await post(twice.slice(1));
  assert.deepEqual(
    [status, body.error],
    [
      409,
      'lines[0]: a line with this transactionHash and logIndex is in a ledger already, or twice in the batch',
    ],
  );
  assert.equal((await post([lineOf(userId, { transactionHash, logIndex: 1 })])).status, 200);
});

test('409 ledger.post: the id of a withdrawal in flight', async () => {
  const key = await makeKey(harness);
  const bulkId = await makeWithdrawal(harness, key);
  const [row] = await harness.deps.db.query('select id from withdrawals where bulk_id = $1', [bulkId]);
  const { status, body } = await post([lineOf(key.userId, { id: row!.id as string })]);
  assert.deepEqual(
    [status, body.error],
    [409, 'lines[0]: An unsettled record has this id: settle it instead'],
  );
});

// Keys

test('200 ledger.post: the same again under a key changes nothing', async () => {
  const userId = await makeUserId();
  const key = `key ${randomUUID()}`;
  const lines = [funds(userId), spending(userId, '60')];
  const first = await post(lines, key);
  const before = await countAll();
  const again = await post(lines, key);
  assert.deepEqual(again.body.data, { ...first.body.data, replayed: true });
  // Also when it could not be posted any more.
  await post([spending(userId, '40')]);
  assert.equal((await post(lines, key)).body.data.replayed, true);
  assert.equal((await linesOf(userId)).length, 3);
  assert.notDeepEqual(await countAll(), before);
});

test('422 ledger.post: other lines under a key, be it one letter', async () => {
  const userId = await makeUserId();
  const key = `key ${randomUUID()}`;
  const lines = [funds(userId), spending(userId, '1')];
  assert.equal((await post(lines, key)).status, 200);
  for (const others of [
    lines.slice(1),
    lines.toReversed(),
    [...lines, funds(userId)],
    [lines[0]!, { ...lines[1]!, description: 'A lines' }],
    [lines[0]!, { ...lines[1]!, amountSent: '2' }],
  ]) {
    const { status, body } = await post(others, key);
    assert.deepEqual([status, body.error], [422, 'This key was used for other lines']);
  }
  assert.equal((await linesOf(userId)).length, 2);
});

test('ten calls at once under one key post its lines once', async () => {
  const userId = await makeUserId();
  const key = `key ${randomUUID()}`;
  const lines = [funds(userId), spending(userId, '1')];
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(lines, key)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(answers.filter(({ body }) => !body.data.replayed).length, 1);
  assert.equal(new Set(answers.map(({ body }) => body.data.postingId)).size, 1);
  assert.equal((await linesOf(userId)).length, 2);
});

test('a key of ledger.post and a reference of ledger.fund are names of different things', async () => {
  const userId = await makeUserId();
  const name = `name ${randomUUID()}`;
  assert.equal((await post([funds(userId)], name)).status, 200);
  const fund = { userId, network: 'polygon', currency: 'USDC', amount: '1', reference: name };
  const { status, body } = await harness.operator('ledger.fund', fund);
  assert.deepEqual([status, body.data.replayed, body.data.balance], [200, false, '101']);
});

// What does not fit together

const swap = { transactionType: 'swap-bridge', assetSent: 'USDC', amountSent: '1' } as const;
const transactionHash = makeHash();
for (const [field, fields] of [
  ['lines.1.assetSent', { transactionType: 'sell', assetReceived: 'USDC', amountReceived: '1' }],
  ['lines.1.assetSent', { transactionType: 'buy', assetSent: 'USDC', amountSent: '1' }],
  ['lines.1.assetSent', { ...swap, transactionType: 'buy', assetReceived: 'USDT', amountReceived: '1' }],
  [
    'lines.1.assetSent',
    { ...swap, transactionType: 'transfer-token', assetReceived: 'USDT', amountReceived: '1' },
  ],
  ['lines.1.assetReceived', { ...swap, assetReceived: 'usdc', amountReceived: '1' }],
  ['lines.1.amountReceived', { ...swap, assetReceived: 'USDT' }],
  ['lines.1.assetReceived', { ...swap, amountReceived: '1' }],
  ['lines.1.amountSent', { transactionType: 'sell', assetSent: 'USDC' }],
  ['lines.1.amountSent', { transactionType: 'sell', assetSent: 'USDC', amountSent: '0' }],
  ['lines.1.amountSent', { transactionType: 'sell', assetSent: 'USDC', amountSent: '-1' }],
  ['lines.1.amountSent', { transactionType: 'sell', assetSent: 'USDC', amountSent: '1e3' }],
  ['lines.1.amountReceived', { assetReceived: 'USDC', amountReceived: '1.0000001' }],
  ['lines.1.network', { network: 'solana' }],
  ['lines.1.assetReceived', { assetReceived: 'EURC', amountReceived: '1' }],
  ['lines.1.transactionHash', { transactionHash }],
  ['lines.1.transactionHash', { logIndex: 3 }],
] as [string, LineFields][]) {
  test(`400 ledger.post: ${field}, ${JSON.stringify(fields)}`, async () => {
    const userId = await makeUserId();
    const { status, body } = await post([funds(userId), lineOf(userId, fields)]);
    assert.equal(status, 400, JSON.stringify(body));
    assert.equal(body.details[0].field, field);
    assert.ok(body.error.startsWith(`${field} `), body.error);
    assert.equal((await linesOf(userId)).length, 0);
  });
}

const good = funds(unknownId);
for (const [why, input] of Object.entries({
  'no key': { lines: [good] },
  'an empty key': { key: '', lines: [good] },
  'a key of two lines': { key: 'a\nb', lines: [good] },
  'a key of 201 characters': { key: 'x'.repeat(201), lines: [good] },
  'no lines': { key: 'k' },
  'an empty batch': { key: 'k', lines: [] },
  'more than 10,000 lines': { key: 'k', lines: Array(10_001).fill(good) },
  'a malformed user id': { key: 'k', lines: [{ ...good, userId: 'ana' }] },
  'a type that does not exist': { key: 'k', lines: [{ ...good, transactionType: 'deposit' }] },
  'an amount that is a number': { key: 'k', lines: [{ ...good, amountReceived: 1 }] },
  'a date without a zone': { key: 'k', lines: [{ ...good, transactionDate: '2026-01-01T00:00:00' }] },
  'a date alone': { key: 'k', lines: [{ ...good, transactionDate: '2026-01-01' }] },
  'half a hash': { key: 'k', lines: [{ ...good, transactionHash: '0xab', logIndex: 1 }] },
  'a log index below zero': { key: 'k', lines: [{ ...good, transactionHash, logIndex: -1 }] },
  'no description': { key: 'k', lines: [{ ...good, description: undefined }] },
  'a description of two lines': { key: 'k', lines: [{ ...good, description: 'a\nb' }] },
  'an id of 201 characters': { key: 'k', lines: [{ ...good, id: 'x'.repeat(201) }] },
  'a field that nobody knows': { key: 'k', lines: [{ ...good, status: 'completed' }] },
  'a field beside the lines': { key: 'k', lines: [good], userId: unknownId },
})) {
  test(`400 ledger.post: ${why}`, async () => {
    const before = await countAll();
    const { status, body } = await harness.operator('ledger.post', input);
    assert.equal(status, 400, JSON.stringify(body));
    assert.ok(body.details.length > 0);
    assert.deepEqual(await countAll(), before);
  });
}
