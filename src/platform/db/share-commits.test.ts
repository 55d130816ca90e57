import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { useHarness } from '#test/harness';
import { DatabaseUnavailable } from '../errors/errors.ts';
import { violates } from './db.ts';
import { shareCommits } from './share-commits.ts';

const harness = useHarness();
before(async () => {
  await harness.deps.db.query('create table shared (n integer primary key, lane text)');
});

interface Item {
  n: number;
  lane?: string;
}

/** Stores numbers, and remembers what shared a statement. */
function countingStore(pause?: Promise<void>) {
  const writes: number[][] = [];
  const store = shareCommits<Item, number>(
    async (db, items) => {
      writes.push(items.map(({ n }) => n));
      if (writes.length <= 2) await pause;
      const rows = await db.query<{ n: number }>(
        `with given as (select * from unnest($1::integer[]) with ordinality as g (n, place)),
         put as (insert into shared (n) select n from given)
         select n from given order by place`,
        [items.map(({ n }) => n)],
      );
      return rows.map(({ n }) => n);
    },
    ({ lane = 'one' }) => lane,
  );
  return { writes, store: (item: Item) => store(harness.deps.db, item) };
}

test('what arrives in one turn shares a statement', async () => {
  const { writes, store } = countingStore();
  await Promise.all([3_000, 3_001, 3_002].map((n) => store({ n })));
  assert.deepEqual(writes, [[3_000, 3_001, 3_002]]);
});

/** The first item is under way when the others arrive. */
async function storeAll(store: (item: Item) => Promise<number>, items: readonly Item[]) {
  const [first, ...rest] = items;
  const result = store(first!);
  await nextTurn();
  const results = [result, ...rest.map(store)];
  await nextTurn();
  return results;
}

test('what arrives while others are written shares the next statement, and each gets its own result', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { writes, store } = countingStore(promise);
  const results = await storeAll(
    store,
    Array.from({ length: 30 }, (_, n) => ({ n })),
  );
  assert.deepEqual(writes[0], [0], 'the first does not wait');
  resolve();
  assert.deepEqual(
    await Promise.all(results),
    Array.from({ length: 30 }, (_, n) => n),
  );
  assert.deepEqual(
    writes.map((write) => write.length),
    [1, 29],
  );
});

test('a full statement does not wait for the first one', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { writes, store } = countingStore(promise);
  const results = await storeAll(
    store,
    Array.from({ length: 40 }, (_, n) => ({ n: 1_000 + n })),
  );
  assert.deepEqual(
    writes.map((write) => write.length),
    [1, 32],
  );
  resolve();
  await Promise.all(results);
  assert.equal(writes.length, 3);
});

test('a statement that takes long does not hold up those who come later', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { writes, store } = countingStore(promise);
  const results = await storeAll(
    store,
    [2_000, 2_001, 2_002].map((n) => ({ n })),
  );
  while (writes.length === 1) await sleep(5);
  assert.deepEqual(writes, [[2_000], [2_001, 2_002]]);
  resolve();
  await Promise.all(results);
});

test('one that is refused fails alone; those that shared its statement are stored, once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { writes, store } = countingStore(promise);
  await harness.deps.db.query('insert into shared (n) values (100)');
  const numbers = [101, 102, 103, 104, 100, 105];
  const results = numbers.map((n) => store({ n }));
  resolve();
  const outcomes = await Promise.allSettled(results);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.ok(violates((outcomes[4] as PromiseRejectedResult).reason, 'shared_pkey'));
  const [row] = await harness.deps.db.query(
    'select count(*)::integer as n from shared where n between 100 and 109',
  );
  assert.equal(row!.n, 6);

  // More refusals probably follow: for a second nothing is shared.
  const written = writes.length;
  await Promise.all([106, 107, 108, 109].map((n) => store({ n })));
  assert.deepEqual(writes.slice(written), [[106], [107], [108], [109]]);
});

test('a refusal in one lane does not touch another', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { writes, store } = countingStore(promise);
  const refused = [200, 201, 202, 200].map((n) => store({ n, lane: 'refused' }));
  resolve();
  await Promise.allSettled(refused);
  const written = writes.length;
  await Promise.all([210, 211, 212, 213, 214].map((n) => store({ n, lane: 'other' })));
  assert.deepEqual(writes.slice(written), [[210, 211, 212, 213, 214]]);
});

test('after a lost connection the outcome is unknown: nothing is written again', async () => {
  let writes = 0;
  const lost = new DatabaseUnavailable('database unavailable', true, new Error('gone'));
  const store = shareCommits<Item, number>(
    async () => {
      writes += 1;
      throw lost;
    },
    () => 'one',
  );
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((n) => store(harness.deps.db, { n })));
  assert.ok(outcomes.every((one) => one.status === 'rejected' && one.reason === lost));
  assert.equal(writes, 1);
});
