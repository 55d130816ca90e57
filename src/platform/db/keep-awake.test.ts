import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { useHarness } from '#test/harness';
import { keepAwake } from './keep-awake.ts';

const harness = useHarness();
const limit = `set local idle_in_transaction_session_timeout = '1s'`;

test('a transaction that waits for something else is not ended as idle', async () => {
  const rows = await harness.deps.db.transaction(async (db) => {
    await db.query(limit);
    await keepAwake(db, () => sleep(2_500), 100);
    return db.query('select 1 as one');
  });
  assert.deepEqual(rows, [{ one: 1 }]);
});

test('without it, the server ends the transaction', async () => {
  const waiting = harness.deps.db.transaction(async (db) => {
    await db.query(limit);
    await sleep(2_500);
    return db.query('select 1 as one');
  });
  await assert.rejects(waiting);
});

test('the error of the work is passed on, and nothing is queried afterwards', async () => {
  let queries = 0;
  const db = { query: async () => [void queries++], transaction: async () => undefined } as never;
  const failing = keepAwake(
    db,
    async () => {
      await sleep(50);
      throw new Error('no');
    },
    5,
  );
  await assert.rejects(failing, /^Error: no$/);
  assert.ok(queries > 0);
  const before = queries;
  await sleep(50);
  assert.equal(queries, before);
});
