import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable, Refusal } from '#platform/errors/errors';
import { lineOf, makeUser } from '#test/data/factories';
import { lockAuditChains } from '#test/database/audit-head';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { useHarness } from '#test/harness';
import { verifyChain } from '../audit/verify-chain.ts';
import { accountFeatures } from './index.ts';
import { listLines } from './lines/list-lines.ts';
import { type BatchLine, postBatch } from './post-batch.ts';
import { postDeposits } from './post-deposits.ts';
import { verifyLedger } from './verify/verify-ledger.ts';

const harness = useHarness();
const types = accountFeatures.account;

interface Outcome {
  key: string;
  /** Of a posting, or the code of the refusal. */
  result: 'posted' | 'replayed' | string;
  postingId?: string;
}

/** All of them in one turn. */
function postAtOnce(batches: readonly { key?: string; lines: BatchLine[] }[]): Promise<Outcome[]> {
  return Promise.all(
    batches.map(async ({ key = randomUUID(), lines }) => {
      try {
        const { postingId, replayed } = await postBatch(harness.operatorContext(), { key, lines });
        return { key, postingId, result: replayed ? 'replayed' : 'posted' };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { key, result: error.code };
      }
    }),
  );
}

const makeUsers = async (count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await makeUser(harness)).id));
const deposit = (userId: string, amountReceived = '5') =>
  lineOf(userId, { assetReceived: 'USDC', amountReceived });
const spending = (userId: string, amountSent: string) =>
  lineOf(userId, { transactionType: 'sell', assetSent: 'USDC', amountSent });
const linesOf = async (userId: string) =>
  (await listLines(harness.operatorContext(), { userId, types, currentPage: 0, pageSize: 50 })).lines;

/** In how many transactions these keys were posted. */
async function countTransactions(keys: readonly string[]): Promise<number> {
  const [row] = await harness.deps.db.query<{ count: number }>(
    `select count(distinct xmin::text)::integer as count from ledger_postings where kind = 'post' and operation_id = any ($1)`,
    [keys],
  );
  return row!.count;
}

async function requireSoundBooks(userIds: readonly string[]): Promise<void> {
  const ctx = harness.operatorContext();
  assert.deepEqual(await checkBooks(ctx.db), rightBooks);
  assert.deepEqual((await verifyChain(ctx)).broken, []);
  for (const userId of userIds) {
    const { faults } = await verifyLedger(ctx, { userId });
    assert.deepEqual(faults, []);
  }
}

test('small batches that come at once share a transaction, and each has its own posting and audit row', async () => {
  const userIds = await makeUsers(12);
  const outcomes = await postAtOnce(userIds.map((userId) => ({ lines: [deposit(userId), deposit(userId)] })));
  assert.deepEqual(new Set(outcomes.map(({ result }) => result)), new Set(['posted']));
  assert.equal(new Set(outcomes.map(({ postingId }) => postingId)).size, 12);
  assert.equal(await countTransactions(outcomes.map(({ key }) => key)), 1);
  const rows = await harness.deps.db.query<{ subject: string; after: { key: string; lines: number } }>(
    `select subject, after from audit_log where action = 'ledger.post' and subject = any ($1) order by id`,
    [outcomes.map(({ postingId }) => `posting:${postingId}`)],
  );
  assert.deepEqual(
    rows.map(({ subject, after }) => [subject, after]),
    outcomes.map(({ postingId, key }) => [`posting:${postingId}`, { key, lines: 2, users: 1 }]),
  );
  for (const userId of userIds) {
    assert.deepEqual(
      (await linesOf(userId)).map(({ runningBalance }) => runningBalance),
      ['10', '5'],
    );
  }
  await requireSoundBooks(userIds);
});

test('what is wrong with one is said to that one, and the others are posted', async () => {
  const userIds = await makeUsers(6);
  const [ana, rui, eva, leo, ida, tom] = userIds as [string, string, string, string, string, string];
  const place = { transactionHash: `0x${randomBytes(32).toString('hex')}`, logIndex: 1 };
  const used = randomUUID();
  await postAtOnce([{ key: used, lines: [{ ...deposit(leo), ...place }] }]);
  const outcomes = await postAtOnce([
    { lines: [deposit(ana)] },
    { lines: [spending(rui, '1')] },
    { lines: [deposit(randomUUID())] },
    { lines: [deposit(eva)] },
    { lines: [{ ...deposit(leo), ...place }] },
    { key: used, lines: [deposit(ida)] },
    { key: used, lines: [{ ...deposit(leo), ...place }] },
    { lines: [{ ...deposit(tom), assetReceived: 'DOGE' }] },
  ]);
  assert.deepEqual(
    outcomes.map(({ result }) => result),
    [
      'posted',
      'insufficient_balance',
      'user_not_found',
      'posted',
      'already_in_ledger',
      'key_reused',
      'replayed',
      'unknown_currency',
    ],
  );
  assert.deepEqual(
    await Promise.all(userIds.map(async (userId) => (await linesOf(userId)).length)),
    [1, 0, 1, 1, 0, 0],
  );
  await requireSoundBooks(userIds);
});

test('one key many times at once is posted once', async () => {
  const [ana, rui] = (await makeUsers(2)) as [string, string];
  const key = randomUUID();
  const same = { key, lines: [deposit(ana)] };
  const outcomes = await postAtOnce([same, same, { lines: [deposit(rui)] }, same]);
  const results = outcomes.filter((outcome) => outcome.key === key);
  assert.deepEqual(results.map(({ result }) => result).toSorted(), ['posted', 'replayed', 'replayed']);
  assert.equal(new Set(results.map(({ postingId }) => postingId)).size, 1);
  assert.equal((await linesOf(ana)).length, 1);
  await requireSoundBooks([ana, rui]);
});

test('one user’s batches at once never spend the same twice, nor what only a later one brings', async () => {
  const [ana, rui] = (await makeUsers(2)) as [string, string];
  await postAtOnce([{ lines: [deposit(ana, '100')] }]);
  const spent = await postAtOnce([
    { lines: [spending(ana, '80')] },
    { lines: [deposit(rui)] },
    { lines: [spending(ana, '80')] },
  ]);
  assert.deepEqual(spent.map(({ result }) => result).toSorted(), [
    'insufficient_balance',
    'posted',
    'posted',
  ]);
  for (let round = 0; round < 10; round++) {
    await postAtOnce([
      { lines: [spending(ana, '30')] },
      { lines: [deposit(ana, '20')] },
      { lines: [deposit(rui)] },
    ]);
  }
  // In the order in which they were posted: by their dates, which are when each was asked for, it may look
  // otherwise.
  const [row] = await harness.deps.db.query<{ least: bigint }>(
    `select min(balance) as least from (
       select sum(coalesce(l.received_amount, 0) - coalesce(l.sent_amount, 0)) over (order by l.number) as balance
       from ledger_lines l join ledger_lists h on h.id = l.list_id where h.user_id = $1) b`,
    [ana],
  );
  assert.ok(row!.least >= 0n, String(row!.least));
  await requireSoundBooks([ana, rui]);
});

test('a connection that breaks under them fails each as unavailable; asked again, each is posted once', async () => {
  const userIds = await makeUsers(3);
  const batches = userIds.map((userId) => ({ key: randomUUID(), lines: [deposit(userId)] }));
  const { db } = harness.deps;
  const locked = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const blocker = db.transaction(async (db) => {
    await db.query(lockAuditChains);
    locked.resolve();
    await over.promise;
  });
  await locked.promise;
  const lost = Promise.allSettled(batches.map((batch) => postBatch(harness.operatorContext(), batch)));
  await untilSomebodyWaits();
  db.cutOff();
  for (const outcome of await lost) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof DatabaseUnavailable);
  }
  over.resolve();
  await assert.rejects(blocker, DatabaseUnavailable);
  const again = await postAtOnce(batches);
  // One statement posts and commits, which the server may end after its connection is gone.
  for (const { result } of again) assert.match(result, /^(posted|replayed)$/);
  for (const { key } of batches) assert.equal(await countTransactions([key]), 1, 'one posting of the key');
  for (const userId of userIds) assert.equal((await linesOf(userId)).length, 1);
  await requireSoundBooks(userIds);
});

async function untilSomebodyWaits(): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const rows = await harness.deps.db.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
    await sleep(10);
  }
  throw new Error('nobody waits for the lock');
}

test('what is wrong is said in one order: a place on chain that is taken before funds that are missing', async () => {
  const [ana] = (await makeUsers(1)) as [string];
  const place = { transactionHash: `0x${randomBytes(32).toString('hex')}`, logIndex: 1 };
  await postAtOnce([{ lines: [deposit(ana, '100')] }]);
  const spend = { ...spending(ana, '60'), ...place };
  const [first] = await postAtOnce([{ lines: [spend] }]);
  const [alone] = await postAtOnce([{ lines: [spend] }]);
  const [among] = await postAtOnce([{ lines: [spend, spending(ana, '1')] }]);
  assert.deepEqual(
    [first!.result, alone!.result, among!.result],
    ['posted', 'already_in_ledger', 'already_in_ledger'],
  );
});

test('deposits on two networks for the same users, some of them new on one, never deadlock', async () => {
  const ctx = harness.operatorContext();
  const find = (network: string, userIds: readonly string[]) =>
    userIds.map((userId) => ({
      userId,
      network,
      currency: 'USDC',
      amount: 1_000_000n,
      at: new Date(),
      logIndex: 1,
      transactionHash: `0x${randomBytes(32).toString('hex')}`,
    }));
  for (let round = 0; round < 30; round++) {
    const userIds = await makeUsers(6);
    await postDeposits(ctx, find('polygon', userIds));
    await postDeposits(ctx, find('base', userIds.slice(3)));
    await Promise.all([
      postDeposits(ctx, find('base', userIds)),
      postDeposits(ctx, find('polygon', userIds.toReversed())),
    ]);
    for (const [at, userId] of userIds.entries()) {
      assert.equal((await linesOf(userId)).length, at < 3 ? 3 : 4);
    }
  }
});
