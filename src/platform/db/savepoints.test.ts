import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import { withSavepoints } from './savepoints.ts';

const harness = useHarness();

const valuesIn = async (table: string) =>
  (await harness.deps.db.query(`select n from ${table} order by n`)).map(({ n }) => n);

test('a failed query or transaction undoes only itself, and all of it is committed together', async () => {
  const { db } = harness.deps;
  await db.query('create table numbers (n integer primary key)');
  await db.transaction(async (outer) => {
    const inner = withSavepoints(outer);
    await inner.query('insert into numbers values (1)');
    await assert.rejects(inner.query('insert into numbers values (1)'), /duplicate key/);
    await inner.transaction((one) => one.query('insert into numbers values (2)'));
    await assert.rejects(
      inner.transaction(async (one) => {
        await one.query('insert into numbers values (3)');
        throw new Error('no');
      }),
      /^Error: no$/,
    );
    await Promise.all([4, 5].map((n) => inner.query('insert into numbers values ($1)', [n])));
    assert.deepEqual(await valuesIn('numbers'), [], 'nothing is committed yet');
  });
  assert.deepEqual(await valuesIn('numbers'), [1, 2, 4, 5]);
});
