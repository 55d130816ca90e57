import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { IssuedKey } from '#features/keys';
import type { Db } from '#platform/db/db';
import { makeAddress, makeKey } from '#test/data/factories';
import { type Answer, useHarness } from '#test/harness';
import { publish } from '#test/worlds/rules';

const harness = useHarness({ databaseLockTimeoutMs: 500 });

/** Keys of three users of one partner. */
async function makeCallers(): Promise<IssuedKey[]> {
  const first = await makeKey(harness);
  const { partnerId } = first;
  return [first, await makeKey(harness, { partnerId }), await makeKey(harness, { partnerId })];
}

const create = ({ token, userId }: IssuedKey, body: object): Promise<Answer> =>
  harness.request('POST', `/api/crypto/${userId}/withdraw`, {
    token,
    body: { amount: '1', to: makeAddress(), ...body },
  });

/** As many as are wanted of the user's list, like the given one. */
const storeLike = (db: Db, bulkId: string, count: number) =>
  db.query(
    `with former as (select * from withdrawals where bulk_id = $1),
     list as (
       update withdrawal_lists l set last_position = l.last_position + $2 from former f where l.id = f.list_id
       returning l.last_position - $2 as position)
     insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals, amount,
       to_address, created_at, updated_at)
     select f.list_id, l.position + n, f.partner_id, f.user_id, f.key_id, f.network, f.currency, f.token_address, f.decimals, f.amount,
       f.to_address, f.created_at, f.updated_at
     from former f, list l, generate_series(1, $2::integer) n`,
    [bulkId, count],
  );

/**
 * Entries of `withdrawals` and its indexes that the connection has read: in this transaction, and in former
 * ones whose figures the server has not collected yet.
 */
async function countRead(db: Db): Promise<number> {
  const [row] = await db.query<{ read: number }>(
    `select sum(pg_stat_get_xact_tuples_returned(c.oid))::integer as read from pg_class c
     where c.oid = 'withdrawals'::regclass
       or c.oid in (select indexrelid from pg_index where indrelid = 'withdrawals'::regclass)`,
  );
  return row!.read;
}

/** A withdrawal for each of `count`, by the callers in turn. */
const createAtOnce = (callers: IssuedKey[], count: number, amountOf = (_n: number) => '1') =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      create(callers[n % callers.length]!, { externalId: `order ${n}`, amount: amountOf(n) }),
    ),
  );

interface Stored extends Record<string, unknown> {
  bulkId: string;
  userId: string;
  externalId: string;
  position: number;
  commit: string;
}

const storedOf = (partnerId: string) =>
  harness.deps.db.query<Stored>(
    `select bulk_id as "bulkId", user_id as "userId", external_id as "externalId", position::integer, xmin::text as commit
     from withdrawals where partner_id = $1 order by id`,
    [partnerId],
  );

test('withdrawals that arrive together share commits; each answer names its own', async () => {
  const callers = await makeCallers();
  // As long as a commit takes on a disk: the server of a test run does not wait for one.
  const { db } = harness.deps;
  await db.query(`create function take_time() returns trigger language plpgsql as $$
    begin perform pg_sleep(0.1); return null; end $$`);
  await db.query('create trigger take_time after insert on withdrawals execute function take_time()');
  const answers = await createAtOnce(callers, 60);
  await db.query('drop trigger take_time on withdrawals');
  await db.query('drop function take_time()');
  assert.ok(answers.every(({ status }) => status === 200));
  const stored = await storedOf(callers[0]!.partnerId);
  assert.equal(stored.length, 60);
  const byOrder = new Map(stored.map((one) => [one.externalId, one]));
  for (const [n, { body }] of answers.entries()) {
    const { bulkId, userId } = byOrder.get(`order ${n}`)!;
    assert.deepEqual([bulkId, userId], [body.data.bulkId, callers[n % 3]!.userId]);
  }
  for (const { userId } of callers) {
    const positions = stored.filter((one) => one.userId === userId).map(({ position }) => position);
    assert.deepEqual(
      positions.toSorted((one, other) => one - other),
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  }
  const commits = new Set(stored.map(({ commit }) => commit)).size;
  assert.ok(commits < 30, `${commits} commits`);
});

test('403 for those that a rule denies, 200 for those that arrived with them', async () => {
  const callers = await makeCallers();
  await publish(harness, [
    { name: 'Everything', verdict: 'allow' },
    { name: 'Large', verdict: 'deny', amount: { over: '50' } },
  ]);
  const answers = await createAtOnce(callers, 30, (n) => (n % 10 === 7 ? '51' : '1'));
  await publish(harness, []);
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map((_, n) => (n % 10 === 7 ? 403 : 200)),
  );
  assert.equal((await storedOf(callers[0]!.partnerId)).length, 27);
});

test('503 for a user whose list another process holds, 200 for the others of the partner', async () => {
  const callers = await makeCallers();
  for (const caller of callers) await create(caller, {});
  const holder = new pg.Client({ connectionString: harness.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from withdrawal_lists where user_id = $1 for update', [callers[1]!.userId]);
  const answers = await createAtOnce(callers, 12);
  await holder.query('rollback');
  await holder.end();
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map((_, n) => (n % 3 === 1 ? 503 : 200)),
  );
  assert.equal((await storedOf(callers[0]!.partnerId)).length, 3 + 8);
});

test('a creation reads few rows, however many are queued', async () => {
  const [caller] = await makeCallers();
  const { body } = await create(caller!, {});
  const { db } = harness.deps;
  await storeLike(db, body.data.bulkId, 5_000);
  await db.query('analyze withdrawals');
  const read = await db.transaction(async (tx) => {
    const readBefore = await countRead(tx);
    await storeLike(tx, body.data.bulkId, 10);
    return (await countRead(tx)) - readBefore;
  });
  assert.ok(read < 200, `${read} rows`);
});

test('the bulk id of one withdrawal follows from its id, as it did in every release', async () => {
  const callers = await makeCallers();
  await createAtOnce(callers, 30);
  const rows = await harness.deps.db.query<{ id: string; bulkId: string; expected: string }>(
    `select id, bulk_id as "bulkId", overlay(id::text placing
         translate(right(id::text, 12), '0123456789abcdef', 'fedcba9876543210') from 25)::uuid as expected
     from withdrawals where partner_id = $1`,
    [callers[0]!.partnerId],
  );
  assert.equal(rows.length, 30);
  for (const { bulkId, expected } of rows) assert.equal(bulkId, expected);
});

test('withdrawals of a user share a list, however the id is spelled', async () => {
  const [{ token, userId }] = (await makeCallers()) as [IssuedKey];
  const answers = await Promise.all(
    [userId, userId.toUpperCase(), userId].map((spelled) =>
      create({ token, userId: spelled } as IssuedKey, {}),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  const lists = await harness.deps.db.query(
    'select list_id, array_agg(position::integer order by position) as positions from withdrawals where user_id = $1 group by 1',
    [userId],
  );
  assert.deepEqual(lists, [{ list_id: lists[0]!.list_id, positions: [1, 2, 3] }]);
});
