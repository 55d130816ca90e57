import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import { DatabaseUnavailable } from '../errors/errors.ts';
import type { Db } from './db.ts';

const harness = useHarness({ databaseLockTimeoutMs: 1_000 });
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

test('waiting for a lock ends in time as busy, and the connection goes on', async () => {
  const { db } = harness.deps;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holder = db.transaction(async (tx) => {
    await tx.query('select id from audit_heads for update');
    await held;
  });
  const startedAt = performance.now();
  const waiter = db.transaction((tx) => tx.query('select id from audit_heads for update'));
  await assert.rejects(waiter, (error) => error instanceof DatabaseUnavailable && !error.isConnectionLost);
  // Far less than a statement may take.
  assert.ok(performance.now() - startedAt < 100_000);
  release();
  await holder;
  assert.equal((await db.query('select 1 as one')).length, 1);
});

test('a write to a standby that is not promoted yet is a lost connection: another one may lead to the primary', async () => {
  const { db } = harness.deps;
  const outcome = db.transaction(async (tx) => {
    await tx.query('set transaction read only');
    await tx.query(insert, ['standby']);
  });
  await assert.rejects(outcome, (error) => error instanceof DatabaseUnavailable && error.isConnectionLost);
  // What PostgreSQL says there of functions that read the log, such as `database_server()`.
  const asked = db.query(
    `do $$ begin raise exception 'recovery is in progress' using errcode = '55000'; end $$`,
  );
  await assert.rejects(asked, (error) => error instanceof DatabaseUnavailable && error.isConnectionLost);
  await db.query(insert, ['primary']);
  assert.equal(await count('primary'), 1);
});

test('an abort ends a transaction at the server, gives its connection back, and lets nothing more through', async () => {
  const { db } = harness.deps;
  const ending = new AbortController();
  let ours: Db | undefined;
  const hung = db.transaction(async (tx) => {
    ours = tx;
    await tx.query('select id from audit_heads for update');
    await new Promise(() => {});
  }, ending.signal);
  const before = db.counts();
  while (!(await isLocked('audit_heads'))) await new Promise((resolve) => setTimeout(resolve, 10));
  ending.abort(new Error('hung'));
  await assert.rejects(hung, /^Error: hung$/);
  await assert.rejects(ours!.query('select 1'), /this transaction is over/);
  while (await isLocked('audit_heads')) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(db.counts().total - db.counts().idle <= before.total - before.idle);
  await assert.rejects(
    db.transaction(() => Promise.resolve(1), ending.signal),
    /^Error: hung$/,
  );
});

/** Whether a session has a row of the table locked, or waits to. */
async function isLocked(table: string): Promise<boolean> {
  const locks = await harness.deps.db.query(
    `select 1 from pg_locks where relation = to_regclass($1) and mode = 'RowShareLock' and granted`,
    [table],
  );
  return locks.length > 0;
}

test('numeric is a bigint; a fraction is refused rather than rounded or turned into text', async () => {
  const { db } = harness.deps;
  assert.deepEqual(await db.query('select 12345678901234567890::numeric as n'), [
    { n: 12345678901234567890n },
  ]);
  await assert.rejects(db.query('select 0.5::numeric as n'), SyntaxError);
});
