import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { cloneDatabase, useHarness } from '#test/harness';
import { type FunctionChoice, type FunctionFile, readFunctions } from './apply-functions.ts';
import { findDrift } from './check-schema.ts';
import {
  faultInSchema,
  knownVersion,
  MigrationFault,
  migrate,
  readMigrations,
  readRelease,
  readSchema,
} from './migrate.ts';

const harness = useHarness();
const migrations = readMigrations();

const file = (name: string, sql: string): FunctionFile => ({
  name,
  sql,
  sha256: createHash('sha256').update(sql).digest('hex'),
});
const answering = (answer: number) =>
  file(
    'test/answer.sql',
    `create or replace function answer() returns integer language sql as 'select ${answer}';\n`,
  );

async function query(databaseUrl: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('migrate applies the function files that changed, and only these', async () => {
  const databaseUrl = await cloneDatabase();
  const functions = [...readFunctions(), answering(41)];
  assert.deepEqual((await migrate(databaseUrl, { release: { migrations, functions } })).functions, [
    'test/answer.sql',
  ]);
  assert.deepEqual((await migrate(databaseUrl, { release: { migrations, functions } })).functions, []);
  const changed = [...readFunctions(), answering(42)];
  assert.deepEqual((await migrate(databaseUrl, { release: { migrations, functions: changed } })).functions, [
    'test/answer.sql',
  ]);
  assert.deepEqual(await query(databaseUrl, 'select answer()'), [{ answer: 42 }]);
});

test('the release before does not take back what a later one wrote, unless it is asked to', async () => {
  const databaseUrl = await cloneDatabase();
  const release = (answer: number) => ({ migrations, functions: [...readFunctions(), answering(answer)] });
  const written = async (answer: number, choice?: FunctionChoice) =>
    (await migrate(databaseUrl, { release: release(answer), ...(choice && { functions: choice }) })).functions
      .length;
  assert.deepEqual([await written(1), await written(2), await written(1), await written(2)], [1, 1, 0, 0]);
  assert.deepEqual(await query(databaseUrl, 'select answer()'), [{ answer: 2 }]);
  assert.deepEqual([await written(1, 'own'), await written(1)], [1, 0]);
  assert.deepEqual(await query(databaseUrl, 'select answer()'), [{ answer: 1 }]);
  assert.equal(await written(1, 'all'), readFunctions().length + 1);
});

test('a function file that fails leaves all as it was, and is named', async () => {
  const databaseUrl = await cloneDatabase();
  const functions = [answering(1), file('test/broken.sql', 'create or replace function broken(')];
  await assert.rejects(migrate(databaseUrl, { release: { migrations, functions } }), {
    constructor: MigrationFault,
    message: 'The functions of this release failed: test/broken.sql: syntax error at end of input',
  });
  assert.deepEqual(await query(databaseUrl, `select from pg_proc where proname = 'answer'`), []);
  assert.deepEqual((await migrate(databaseUrl)).functions, []);
});

test('a process is ready once its functions were applied, also after those of a later release', async () => {
  const databaseUrl = await cloneDatabase();
  const later = { migrations, functions: [...readFunctions(), answering(1)] };
  const faults: (string | undefined)[] = [];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const look = async () => {
    const db = { query: async (text: string, values?: unknown[]) => (await client.query(text, values)).rows };
    faults.push(faultInSchema(await readSchema(db as never)));
  };
  await look();
  await migrate(databaseUrl, { release: later });
  await look();
  await client.query('delete from schema_function_sets');
  await migrate(databaseUrl, { release: later });
  await look();
  await client.end();
  assert.deepEqual(faults, [undefined, undefined, 'without the functions of this release']);
  assert.equal(faultInSchema({ version: knownVersion + 1, hasFunctions: false }), undefined);
});

test('503 from /ready without the functions of this release', async () => {
  const { db } = harness.deps;
  await db.query('update schema_function_sets set digest = $1', ['another']);
  const { status, body } = await harness.request('GET', '/ready');
  assert.deepEqual([status, body.error], [503, 'The database is without the functions of this release']);
});

test('drift is named: a function that was changed, lost or added by hand, and a view', async () => {
  const databaseUrl = await cloneDatabase();
  assert.deepEqual(await findDrift(databaseUrl, readRelease()), []);
  await query(
    databaseUrl,
    `create or replace function next_hash(last bytea, head bytea, content text) returns bytea language sql as 'select head';
     create function by_hand(integer) returns integer language sql as 'select 1';
     alter function ledger_cuts_max() rename to ledger_cuts_most;
     create or replace view ledger_house_balances as
       select network, currency, sum(balance) as balance from ledger_house group by network, currency`,
  );
  assert.deepEqual(await findDrift(databaseUrl, readRelease()), [
    'by_hand(integer) has no file.',
    'ledger_count(in_list bigint, types ledger_line_type[], ats timestamp with time zone[], numbers bigint[], sign integer, cuts_max integer) is not what its file says.',
    'ledger_cuts_max() is missing.',
    'ledger_cuts_most() has no file.',
    'ledger_house_balances() is not what its file says.',
    'next_hash(last bytea, head bytea, content text) is not what its file says.',
  ]);
});

test('drift is named: a trigger that was changed, lost, added or disabled, and a function with other arguments', async () => {
  const databaseUrl = await cloneDatabase();
  await query(
    databaseUrl,
    `create function next_hash(last bytea) returns bytea language sql as 'select last';
     drop trigger payout_signers_guard on payout_signers;
     drop trigger payout_slots_guard on payout_slots;
     create trigger payout_slots_guard after update on payout_slots for each row execute function payout_slots_guard();
     create trigger by_hand before update on payout_slots for each row execute function payout_slots_guard();
     alter table payout_slots disable trigger payout_slots_no_delete`,
  );
  assert.deepEqual(await findDrift(databaseUrl, readRelease()), [
    'Trigger by_hand on public.payout_slots has no file.',
    'Trigger payout_signers_guard on public.payout_signers is missing.',
    'Trigger payout_slots_guard on public.payout_slots is not what database/schema.sql says.',
    'Trigger payout_slots_no_delete on public.payout_slots is disabled.',
    'next_hash(last bytea) has no file.',
  ]);
});

test('migrations that were not applied are named, and functions only where all were', async () => {
  const databaseUrl = await cloneDatabase('template0');
  const names = migrations.map(({ name }) => `${name} is not applied.`);
  assert.deepEqual(await findDrift(databaseUrl, readRelease()), names);
  await migrate(databaseUrl, { release: { migrations: migrations.slice(0, -1), functions: [] } });
  assert.deepEqual(await findDrift(databaseUrl, readRelease()), names.slice(-1));
});
