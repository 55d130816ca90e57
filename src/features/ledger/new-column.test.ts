import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { lineOf, makeUser } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { useHarness } from '#test/harness';
import { type BatchLine, postBatch } from './post-batch.ts';
import { callPostLines } from './queries/post.ts';

const harness = useHarness();

const makeUsers = async (count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await makeUser(harness)).id));
const line = (userId: string, amountReceived: string) =>
  lineOf(userId, { assetReceived: 'USDC', amountReceived, transactionDate: '2026-01-01T00:00:00Z' });
const post = (...lines: BatchLine[]) => postBatch(harness.operatorContext(), { key: randomUUID(), lines });

/** Five lines: two of one posting, one alone, and one of each user together. */
async function postByEachFunction([one, other]: readonly string[]): Promise<void> {
  await post(line(one!, '1'), line(other!, '2'));
  await post(line(one!, '3'));
  await Promise.all([one, other].map((userId) => post(line(userId!, '4'))));
}

test('200 postings go on after a migration that adds a column to the lines, before the functions', async () => {
  const { db } = harness.deps;
  const users = await makeUsers(2);
  await db.query('alter table ledger_lines add column first_note text');
  // The first time, accounts are missing and all goes through ledger_post_lines.
  await postByEachFunction(users);
  await postByEachFunction(users);
  // Connections that have posted have plans for the row as it was.
  await db.query('alter table ledger_lines add column second_note text');
  await postByEachFunction(users);
  assert.deepEqual(
    await db.query(
      'select first_note, second_note, count(*) from ledger_lines where list_id in (select id from ledger_lists where user_id = any ($1)) group by 1, 2',
      [users],
    ),
    [{ first_note: null, second_note: null, count: 15n }],
  );
  assert.deepEqual(await checkBooks(db), rightBooks);
});

test('200 postings that are made while a migration adds a column are stored whole', async () => {
  const { db } = harness.deps;
  const pairs = await Promise.all(Array.from({ length: 4 }, () => makeUsers(2)));
  for (const pair of pairs) await postByEachFunction(pair);
  let isAltered = false;
  const posting = pairs.map(async (pair) => {
    let calls = 0;
    for (; !isAltered || calls < 3; calls++) await postByEachFunction(pair);
    return calls + 1;
  });
  for (let n = 0; n < 5; n++) await db.query(`alter table ledger_lines add column while_posting_${n} text`);
  isAltered = true;
  const calls = (await Promise.all(posting)).reduce((sum, one) => sum + one, 0);
  const [row] = await db.query(
    'select count(*)::integer as count from ledger_lines where list_id in (select id from ledger_lists where user_id = any ($1))',
    [pairs.flat()],
  );
  assert.equal(row!.count, calls * 5);
  assert.deepEqual(await checkBooks(db), rightBooks);
});

test('200 postings go on after a migration that adds a column with a default to the postings', async () => {
  const { db } = harness.deps;
  const users = await makeUsers(2);
  await postByEachFunction(users);
  await db.query(`alter table ledger_postings add column note text not null default 'none'`);
  await postByEachFunction(users);
  assert.deepEqual(await checkBooks(db), rightBooks);
});

test('200 a value of a new column is stored by every function, and none of them is changed for it', async () => {
  const { db } = harness.deps;
  const [one] = (await makeUsers(1)) as [string];
  await post(line(one, '1'));
  await db.query('alter table ledger_lines add column label text');
  const given = {
    type: 'buy',
    transaction_at: '2026-01-02T00:00:00Z',
    description: 'A test',
    purpose: 'test',
  };
  const columns = (label: string) => ({ ...given, operation_id: randomUUID(), label });
  const posting = () => ({ kind: 'post', operation_id: randomUUID(), description: 'A test' });
  await db.query(`select ledger_post_single(now(), $1, 'polygon', 'USDC', 7, 0, $2::json, $3::json)`, [
    one,
    JSON.stringify(posting()),
    JSON.stringify(columns('alone')),
  ]);
  await callPostLines(db, {
    postedAt: new Date(),
    users: [one],
    assets: [{ network: 'polygon', currency: 'USDC' }],
    owners: [{ userId: one, asset: 1 }],
    spent: [],
    postings: [posting()],
    lines: ['first', 'second'].map((label) => ({
      ...columns(label),
      list_id: 1,
      posting_id: 1,
      received_account_id: 1,
      received_amount: '7',
    })),
  });
  const rows = await db.query<{ label: string }>(
    'select label from ledger_lines where label is not null order by label',
  );
  assert.deepEqual(
    rows.map(({ label }) => label),
    ['alone', 'first', 'second'],
  );
  assert.deepEqual(await checkBooks(db), rightBooks);
});
