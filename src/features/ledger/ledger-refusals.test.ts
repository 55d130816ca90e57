import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { contextFor } from '#context';
import { lineOf, makeKey, makeUser, makeWithdrawal } from '#test/data/factories';
import { testConfig, testLog, useHarness } from '#test/harness';
import { createDeps } from '../../main.ts';
import { accountFeatures, postDeposits } from './index.ts';
import { listLines } from './lines/list-lines.ts';
import { postBatch } from './post-batch.ts';
import { listUnsettled } from './unsettled/list-unsettled.ts';
import { recordUnsettled } from './unsettled/record-unsettled.ts';
import { settleUnsettled } from './unsettled/settle-unsettled.ts';

const harness = useHarness();
const ctx = () => harness.operatorContext();
const call = (command: string, input: object) => harness.operator(`ledger.${command}`, input);
const leg = { network: 'polygon', assetReceived: 'USDC', amountReceived: '1' };
const deposit = { transactionType: 'buy', status: 'pending', description: 'x', legs: [leg] } as const;
const page = { currentPage: 0, pageSize: 200 };
const both = async (userId: string) => [
  (await listLines(ctx(), { userId, types: accountFeatures.account, ...page })).lines.map(({ id }) => id),
  (await listUnsettled(ctx(), { userId, ...page })).records.map(({ id }) => id),
];

for (const date of [
  '2016-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '2026-01-01T00:00:00+01',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
]) {
  test(`400 an invalid date: ${date}`, async () => {
    const { id: userId } = await makeUser(harness);
    const answers = [
      await call('post', { key: randomUUID(), lines: [lineOf(userId, { transactionDate: date })] }),
      await call('post', { key: randomUUID(), lines: [lineOf(userId, { executedAt: date })] }),
      await call('record-unsettled', { userId, ...deposit, transactionDate: date }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 400],
    );
  });
}

test('an id is in one set: ledger.fund under the id of an unsettled record', async () => {
  const { id: userId } = await makeUser(harness);
  await call('record-unsettled', { userId, id: 'X', ...deposit });
  await call('fund', { userId, network: 'polygon', currency: 'USDC', amount: '1', reference: 'X' });
  const [settled, unsettled] = await both(userId);
  assert.deepEqual(
    settled!.filter((id) => unsettled!.includes(id)),
    [],
  );
});

test('an id is in one set: a deposit on chain whose name is an unsettled record', async () => {
  const { id: userId } = await makeUser(harness);
  const transactionHash = `0x${randomBytes(32).toString('hex')}`;
  await call('record-unsettled', { userId, id: `polygon:${transactionHash}:0`, ...deposit });
  await postDeposits(ctx(), [
    {
      userId,
      network: 'polygon',
      currency: 'USDC',
      amount: 1n,
      transactionHash,
      logIndex: 0,
      at: new Date(),
    },
  ]);
  const [settled, unsettled] = await both(userId);
  assert.deepEqual(
    settled!.filter((id) => unsettled!.includes(id)),
    [],
  );
});

test('400 two legs of a deposit', async () => {
  const { id: userId } = await makeUser(harness);
  const { status } = await call('record-unsettled', {
    userId,
    ...deposit,
    legs: [leg, { ...leg, network: 'base' }],
  });
  assert.equal(status, 400);
});

test('409 names the line of the user whose record it is', async () => {
  const [one, other] = [await makeUser(harness), await makeUser(harness)];
  await call('record-unsettled', { userId: other.id, id: 'X', ...deposit });
  const { body } = await call('post', {
    key: randomUUID(),
    lines: [lineOf(one.id, { id: 'X' }), lineOf(other.id, { id: 'X' })],
  });
  assert.equal(body.details[0].field, 'lines.1.id');
});

test('200 a settlement again where a process has one connection', async () => {
  const { id: userId } = await makeUser(harness);
  const config = { ...testConfig(harness.databaseUrl), databasePoolMax: 1 };
  const deps = createDeps(config, testLog());
  const own = () => contextFor(deps, { kind: 'operator', name: 'x', role: 'admin' } as const, deps.log);
  try {
    await recordUnsettled(own(), { userId, id: 'X', ...deposit });
    await settleUnsettled(own(), { userId, id: 'X' });
    assert.equal((await settleUnsettled(own(), { userId, id: 'X' })).replayed, true);
  } finally {
    await deps.db.end();
  }
});

test('200 twelve settlements again at once, by ten connections', async () => {
  const { id: userId } = await makeUser(harness);
  await recordUnsettled(ctx(), { userId, id: 'X', ...deposit });
  await settleUnsettled(ctx(), { userId, id: 'X' });
  const done = await Promise.all(
    Array.from({ length: 12 }, () => settleUnsettled(ctx(), { userId, id: 'X' })),
  );
  assert.equal(done.length, 12);
});

test('400 more places on chain than legs', async () => {
  const { id: userId } = await makeUser(harness);
  await call('record-unsettled', { userId, id: 'X', ...deposit });
  const onChain = [0, 1].map((logIndex) => ({ transactionHash: `0x${'1'.repeat(64)}`, logIndex }));
  assert.equal((await call('settle', { userId, id: 'X', onChain })).status, 400);
});

test('400 a field is named in one way, by the schema and by our checks', async () => {
  const { id: userId } = await makeUser(harness);
  const { body } = await call('post', { key: 'k', lines: [lineOf(userId, { transactionDate: 'now' })] });
  assert.equal(body.details[0].field, 'lines.0.transactionDate');
});

test('409 record-unsettled with the id of a withdrawal in flight', async () => {
  const key = await makeKey(harness);
  const bulkId = await makeWithdrawal(harness, key);
  const [row] = await harness.deps.db.query('select id from withdrawals where bulk_id = $1', [bulkId]);
  const { status, body } = await call('record-unsettled', {
    userId: key.userId,
    id: row!.id,
    transactionType: 'sell',
    status: 'pending',
    description: 'x',
    legs: [{ network: 'polygon', assetSent: 'USDT', amountSent: '1' }],
  });
  assert.equal(status, 409, JSON.stringify(body));
});

test('batches at once for users whose ledgers are being created: no deadlock', async () => {
  const codes = new Map<string, number>();
  for (let round = 0; round < 60; round++) {
    const users = await Promise.all(Array.from({ length: 4 }, () => makeUser(harness)));
    const batches = Array.from({ length: 9 }, (_, at) =>
      [0, 1, 2, 3].filter((who) => ((at * 7 + round * 5 + 3) >> who) % 2 === 1).map((who) => users[who]!.id),
    ).filter((ids) => ids.length > 0);
    const done = await Promise.allSettled(
      batches.map((ids, at) =>
        postBatch(ctx(), {
          key: randomUUID(),
          lines: (at % 2 ? ids : ids.toReversed()).map((id) => lineOf(id)),
        }),
      ),
    );
    for (const each of done) {
      const code = each.status === 'rejected' && String(each.reason.cause?.code);
      if (code) codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  }
  assert.deepEqual([...codes], []);
});

test('a deposit that an operator has posted under its place on chain is left out, and holds no other up', async () => {
  const { id: userId } = await makeUser(harness);
  const transactionHash = `0x${randomBytes(32).toString('hex')}`;
  const { status } = await call('post', {
    key: randomUUID(),
    lines: [lineOf(userId, { network: 'polygon', transactionHash, logIndex: 3 })],
  });
  assert.equal(status, 200);
  const found = {
    userId,
    network: 'polygon',
    currency: 'USDC',
    amount: 5n,
    transactionHash,
    at: new Date(),
  };
  assert.equal(
    await postDeposits(ctx(), [
      { ...found, logIndex: 3 },
      { ...found, logIndex: 4 },
    ]),
    1,
  );
  // A transaction without a chain id can be repeated on another network.
  assert.equal(await postDeposits(ctx(), [{ ...found, network: 'base', logIndex: 3 }]), 1);
  const { lines } = await listLines(ctx(), { userId, types: accountFeatures.account, ...page });
  assert.equal(lines.length, 3);
  assert.equal(new Set(lines.map(({ uniqueHashId }) => uniqueHashId)).size, 3);
});

test('409 record-unsettled with the id of somebody else’s withdrawal: its recipient’s line will have it', async () => {
  const key = await makeKey(harness);
  const { id: recipientId } = await makeUser(harness);
  const bulkId = await makeWithdrawal(harness, key);
  const [row] = await harness.deps.db.query('select id from withdrawals where bulk_id = $1', [bulkId]);
  const { status, body } = await call('record-unsettled', { userId: recipientId, id: row!.id, ...deposit });
  assert.deepEqual([status, body.error], [409, 'This record is a withdrawal: only its payment changes it']);
});

test('400 a date more than a day ahead', async () => {
  const { id: userId } = await makeUser(harness);
  const transactionDate = new Date(Date.now() + 2 * 24 * 60 * 60_000).toISOString();
  const { status, body } = await call('post', {
    key: randomUUID(),
    lines: [lineOf(userId, { transactionDate })],
  });
  assert.equal(status, 400);
  assert.equal(body.details[0].field, 'lines.0.transactionDate');
});
