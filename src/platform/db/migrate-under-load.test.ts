import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeAddress, makeKey } from '#test/data/factories';
import { lockRows } from '#test/database/lock-rows';
import { useHarness } from '#test/harness';
import { readFunctions } from './apply-functions.ts';
import { type Migration, MigrationFault, migrate, type Release, readMigrations } from './migrate.ts';

const harness = useHarness();
const query = (text: string) => harness.deps.db.query(text);

/** The release's migrations and those of the test so far, with one more. */
const applied: Migration[] = readMigrations();
function withNext(sql: string): Migration[] {
  const version = applied.at(-1)!.version + 1;
  const name = `${String(version).padStart(4, '0')}_test.sql`;
  return [...applied, { version, name, sql, sha256: createHash('sha256').update(sql).digest('hex') }];
}

const releaseOf = (migrations: Migration[]): Release => ({ migrations, functions: readFunctions() });

const patience = { lockMs: 200, pauseMs: 100, giveUpMs: 60_000 };

/** Partners who ask and pay without a pause; stopped, they say what they were answered. */
async function startTraffic(t: TestContext): Promise<() => Promise<Record<string, number[]>>> {
  const { token, userId } = await makeKey(harness);
  const statuses: Record<string, number[]> = { read: [], write: [] };
  let isOver = false;
  const loop = async (kind: 'read' | 'write') => {
    while (!isOver) {
      const answer = await (kind === 'read'
        ? harness.request('GET', `/api/crypto/${userId}/withdraws`, { token })
        : harness.request('POST', `/api/crypto/${userId}/withdraw`, {
            token,
            body: { amount: '1', to: makeAddress() },
          }));
      statuses[kind]!.push(answer.status);
      await sleep(5);
    }
  };
  const loops = Promise.all([loop('read'), loop('read'), loop('write'), loop('write')]);
  const stop = async () => {
    isOver = true;
    await loops;
    return statuses;
  };
  t.after(stop);
  return stop;
}

test('migrate waits for a long transaction without holding up requests: none fails', async (t) => {
  const stopTraffic = await startTraffic(t);
  const long = await lockRows(t, harness.databaseUrl, 'lock table withdrawals in access share mode');
  const migrations = withNext('alter table withdrawals add column test_note text');
  const migrating = migrate(harness.databaseUrl, { release: releaseOf(migrations), patience });
  // Longer than a request waits for a lock before it fails.
  await sleep(4_000);
  assert.deepEqual(
    await query(`select from information_schema.columns where column_name = 'test_note'`),
    [],
    'the long transaction is still in the way',
  );
  await long.release();
  assert.deepEqual((await migrating).migrations, [migrations.at(-1)!.name]);
  applied.push(migrations.at(-1)!);
  const statuses = await stopTraffic();
  for (const [kind, all] of Object.entries(statuses)) {
    assert.ok(all.length > 0, `no ${kind} was made`);
    assert.deepEqual(
      all.filter((status) => status !== 200),
      [],
      `a ${kind} failed`,
    );
  }
});

test('migrate gives up after a while, says who holds the lock, and has changed nothing', async (t) => {
  const long = await lockRows(t, harness.databaseUrl, 'lock table users in access share mode');
  const migrations = withNext(
    'create table test_half (id bigint); alter table users add column test_half text',
  );
  await assert.rejects(
    migrate(harness.databaseUrl, {
      release: releaseOf(migrations),
      patience: { ...patience, giveUpMs: 6_000 },
    }),
    (error) => {
      assert.ok(error instanceof MigrationFault);
      const [, name, pid, state] =
        /^Migration (\S+) was not applied: .* held by pid (\d+) \(forgotten-session, user \w+, ([a-z ]+), in/.exec(
          error.message,
        ) ?? assert.fail(error.message);
      assert.deepEqual(
        [name, Number(pid), state],
        [migrations.at(-1)!.name, long.pid, 'idle in transaction'],
      );
      assert.match(
        error.message,
        /Nothing was changed\. End that session, .* run `causeway migrate` again\.$/,
      );
      return true;
    },
  );
  assert.deepEqual(await query(`select to_regclass('test_half') as half`), [{ half: null }]);
  await long.release();
  const { migrations: names } = await migrate(harness.databaseUrl, {
    release: releaseOf(migrations),
    patience,
  });
  assert.deepEqual(names, [migrations.at(-1)!.name]);
  applied.push(migrations.at(-1)!);
});

test('an index is built outside a transaction while writers write; what a failed build left is replaced', async (t) => {
  await query('create table test_codes (code integer not null)');
  await query('insert into test_codes values (1), (1)');
  const sql = `-- Why: a test.
-- Outside a transaction: nobody who writes waits.
create unique index concurrently if not exists test_codes_code on test_codes (code);`;
  const migrations = withNext(sql);
  await assert.rejects(migrate(harness.databaseUrl, { release: releaseOf(migrations), patience }), {
    constructor: MigrationFault,
    message: `Migration ${migrations.at(-1)!.name} failed: could not create unique index "test_codes_code"`,
  });
  await query('delete from test_codes');
  const writer = await lockRows(t, harness.databaseUrl, 'insert into test_codes values (2)');
  const building = migrate(harness.databaseUrl, { release: releaseOf(migrations), patience });
  await sleep(1_000);
  await query('insert into test_codes values (3)');
  await writer.release();
  assert.deepEqual((await building).migrations, [migrations.at(-1)!.name]);
  applied.push(migrations.at(-1)!);
  assert.deepEqual(
    await query(`select indisvalid as valid from pg_index where indexrelid = 'test_codes_code'::regclass`),
    [{ valid: true }],
  );
});

test('outside a transaction nothing is allowed but one index', async () => {
  const migrations = withNext('-- Outside a transaction.\ncreate table test_outside (id bigint);');
  await assert.rejects(
    migrate(harness.databaseUrl, { release: releaseOf(migrations), patience }),
    /failed: outside a transaction/,
  );
});
