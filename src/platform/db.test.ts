import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '../../test/harness.ts';
import { createPool } from './db.ts';
import { DatabaseUnavailable } from './errors.ts';

const harness = useHarness();
const insert = 'insert into partners (name, created_at) values ($1, now())';
const count = async (name: string) =>
  (await harness.deps.db.query('select 1 from partners where name = $1', [name])).length;

test('a transaction whose statement failed is not reported as committed, even if the error was caught', async () => {
  const outcome = harness.deps.db.transaction(async (db) => {
    await db.query(insert, ['caught']);
    await db.query('select 1 / 0').catch(() => {});
    return 'said ok';
  });
  await assert.rejects(outcome, /rolled back/);
  assert.equal(await count('caught'), 0);
});

test('a branch that outlives its transaction writes nothing', async () => {
  const { db } = harness.deps;
  let late: Promise<unknown> = Promise.resolve();
  const outcome = db.transaction((tx) =>
    Promise.all([
      Promise.reject(new Error('one branch fails')),
      new Promise((resolve) => setTimeout(resolve, 50)).then(() => {
        late = tx.query(insert, ['late']);
        return late;
      }),
    ]),
  );
  await assert.rejects(outcome, /one branch fails/);
  await new Promise((resolve) => setTimeout(resolve, 80));
  await assert.rejects(late, /this transaction is over/);
  assert.equal(await count('late'), 0);
});

test('a nested transaction is the same one: both are kept or neither is', async () => {
  const { db } = harness.deps;
  const outcome = db.transaction(async (outer) => {
    await outer.transaction((inner) => inner.query(insert, ['inner']));
    throw new Error('changed my mind');
  });
  await assert.rejects(outcome, /changed my mind/);
  assert.equal(await count('inner'), 0);
});

test('waiting for a lock ends within seconds as busy, and the connection goes on', async () => {
  const { db } = harness.deps;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holder = db.transaction(async (tx) => {
    await tx.query('select id from audit_head for update');
    await held;
  });
  const startedAt = performance.now();
  const waiter = db.transaction((tx) => tx.query('select id from audit_head for update'));
  await assert.rejects(waiter, (error) => error instanceof DatabaseUnavailable && !error.isConnectionLost);
  assert.ok(performance.now() - startedAt < 4_000);
  release();
  await holder;
  assert.equal((await db.query('select 1 as one')).length, 1);
});

test('withLock runs one at a time under one name, outside any transaction, and gives the lock back', async () => {
  const { db } = harness.deps;
  let runs = 0;
  const slow = async () => {
    runs++;
    await new Promise((resolve) => setTimeout(resolve, 100));
  };
  const turns = await Promise.all([1, 2, 3].map(() => db.withLock('slow', slow)));
  assert.deepEqual([turns.filter((had) => had).length, runs], [1, 1]);
  assert.equal(
    await db.withLock('other', async () => assert.equal(await db.withLock('slow', slow), true)),
    true,
  );
  await assert.rejects(
    db.withLock('slow', () => Promise.reject(new Error('job fault'))),
    /job fault/,
  );
  assert.equal(await db.withLock('slow', slow), true);
});

test('a connection whose unlock went unanswered is closed, not handed to the next', async () => {
  const pool = createPool({
    url: harness.databaseUrl,
    connectionsMax: 2,
    statementTimeoutMs: 100,
    log: harness.deps.log,
  });
  let frozen = 0;
  try {
    await pool.withLock('frozen', async () => {
      const [holder] = await pool.query<{ pid: number }>(
        `select pid from pg_locks where locktype = 'advisory' and granted
           and database = (select oid from pg_database where datname = current_database())`,
      );
      frozen = holder!.pid;
      process.kill(frozen, 'SIGSTOP');
    });
    assert.equal(pool.counts().total, 1, 'only the connection of the query is left');
  } finally {
    if (frozen) process.kill(frozen, 'SIGCONT');
    await pool.end();
  }
});

test('numeric is a bigint; a fraction is refused rather than rounded or turned into text', async () => {
  const { db } = harness.deps;
  assert.deepEqual(await db.query('select 12345678901234567890::numeric as n'), [
    { n: 12345678901234567890n },
  ]);
  await assert.rejects(db.query('select 0.5::numeric as n'), SyntaxError);
});
