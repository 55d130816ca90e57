import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { migrate } from '#platform/db/migrate';
import { startPrimary, startStandby, untilCaughtUp } from '#test/database/cluster';
import { noteSecret, testConfig, testLog } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { contextFor } from '../../context.ts';
import { createDeps } from '../../main.ts';
import { examine } from './examine.ts';

// A separate server, because the checks are about settings of the whole server.

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-doctor-server-'));
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));

const settings = { archive_mode: 'on', max_prepared_transactions: '5' };
const primary = await startPrimary(path.join(folder, 'primary'), { settings });
after(() => primary.postgres.stop());
await primary.query('create database causeway');
const url = primary.postgres.url('causeway');
await migrate(url);
noteSecret(new URL(url).password);

interface Given {
  url?: string;
  isReplicationSynchronous?: boolean;
  isDurabilityRequired?: boolean;
}

async function examineServer(given: Given = {}) {
  const deps = createDeps(testConfig(given.url ?? url), testLog());
  const { isReplicationSynchronous = false, isDurabilityRequired = true } = given;
  const installation = { ...deps.installation, isDurabilityRequired };
  const actor = { kind: 'operator', name: 'tester', role: 'admin' } as const;
  const ctx = contextFor(
    { ...deps, evm: new Map(), isReplicationSynchronous, installation },
    actor,
    deps.log,
  );
  try {
    const findings = await examine(ctx, { gauges: [], jobs: [] });
    return (check: string) => {
      const { state, seen } = findings.find((finding) => finding.check === check)!;
      return [state, seen];
    };
  } finally {
    await deps.db.end();
  }
}

/** What a check says while a setting of the server has a value. */
async function withSetting(name: string, value: string, check: string, given: Given = {}) {
  const before = await change(name, value);
  try {
    return (await examineServer(given))(check);
  } finally {
    await change(name, before);
  }
}

/** Until new sessions have it; returns the former value. */
async function change(name: string, value: string): Promise<string> {
  const { setting } = await primary.query(`select current_setting('${name}') as setting`);
  await primary.query(`alter system set ${name} = '${value}'`);
  await primary.query('select pg_reload_conf()');
  await waitUntil(`${name} is ${value}`, async () => {
    const row = await primary.query(`select current_setting('${name}') = '${value}' as "isSet"`);
    return row.isSet;
  });
  return setting;
}

test('settings that lose payouts are a problem', async () => {
  // Set for the database, because the command line of the test server has them.
  const find = await examineServer();
  assert.deepEqual(find('durability'), ['problem', 'Off: fsync']);
  await primary.query('alter database causeway set synchronous_commit = off');
  assert.deepEqual((await examineServer())('durability'), ['problem', 'Off: fsync, synchronous_commit']);
  const relaxed = await examineServer({ isDurabilityRequired: false });
  assert.deepEqual(relaxed('durability'), ['warning', 'Off: fsync, synchronous_commit']);
  await primary.query('alter database causeway reset synchronous_commit');
});

test('autovacuum that is off, and a timeout that ends our listeners', async () => {
  assert.deepEqual(await withSetting('autovacuum', 'off', 'vacuum'), ['problem', 'Off: autovacuum']);
  const [state, seen] = await withSetting('idle_session_timeout', '10min', 'session settings');
  assert.deepEqual([state, seen], ['warning', 'idle_session_timeout is 10 min']);
  assert.deepEqual((await examineServer())('vacuum'), ['ok', 'No table has many dead rows']);
});

test('archiving: a command that fails is a problem', async () => {
  const archive = async (command: string, condition: string) => {
    await change('archive_command', command);
    await primary.query('create table if not exists filler ()');
    await primary.query('drop table filler');
    await primary.query('select pg_switch_wal()');
    const statement = `select coalesce(${condition}, false) as "isSo" from pg_stat_archiver`;
    await waitUntil(condition, async () => (await primary.query(statement)).isSo);
    return (await examineServer())('archiving');
  };
  const [fine] = await archive('/bin/true', 'archived_count > 0');
  assert.equal(fine, 'ok');
  const [state, seen] = await archive('/bin/false', 'last_failed_time > last_archived_time');
  assert.equal(state, 'problem');
  assert.match(seen!, /^\d+ segments? archived, \d+ failures?, the last attempt failed$/);
  await change('archive_command', '/bin/true');
});

test('an inactive slot is a warning, a standby is shown with its lag', async () => {
  const alone = await examineServer();
  assert.deepEqual(alone('replication slots'), ['ok', 'No slots']);
  assert.deepEqual(alone('replication'), ['warning', 'No standby, wal_level replica']);
  await primary.query(`select pg_create_physical_replication_slot('left_behind', true)`);
  const [state, seen] = (await examineServer())('replication slots');
  assert.equal(state, 'warning');
  assert.match(seen!, /^left_behind is inactive and holds \d+ (bytes|kB|MB) of log$/);
  await primary.query(`select pg_drop_replication_slot('left_behind')`);

  const standby = await startStandby(path.join(folder, 'standby'), primary, {
    name: 'reserve',
    settings,
  });
  try {
    await untilCaughtUp(primary, standby);
    const find = await examineServer();
    assert.equal(find('replication')[0], 'ok');
    assert.match(find('replication')[1]!, /^reserve \(async, streaming(, \d+ s behind)?\)$/);
    const secret = noteSecret('password-of-a-role-without-rights');
    await primary.query(`create role plain login password '${secret}'`);
    await primary.query('grant pg_read_all_data to plain');
    const address = new URL(url);
    Object.assign(address, { username: 'plain', password: secret });
    const asPlain = await examineServer({ url: address.href });
    assert.deepEqual(asPlain('replication'), ['skipped', '1 standby, whose state this role may not see']);
    const readable = ['indexes', 'size', 'vacuum', 'connections', 'replication slots', 'database TLS'];
    for (const check of readable) assert.equal(asPlain(check)[0], 'ok', check);
    const onStandby = await examineServer({ url: standby.postgres.url('causeway') });
    assert.deepEqual(onStandby('database server')[0], 'problem');
    assert.match(onStandby('database server')[1]!, /a standby that accepts no writes$/);
  } finally {
    await standby.postgres.stop();
  }
});

test('synchronous replication that PostgreSQL does not do is a problem', async () => {
  const [state, seen] = (await examineServer({ isReplicationSynchronous: true }))('replication');
  assert.equal(state, 'problem');
  assert.equal(seen, 'DATABASE_REPLICATION is synchronous, and synchronous_standby_names is empty');
});

test('a role with too few connections, and one whose password is wrong', async () => {
  const password = noteSecret('a-password-that-nobody-may-read');
  await primary.query(`create role small login superuser password '${password}' connection limit 8`);
  const address = new URL(url);
  Object.assign(address, { username: 'small', password });
  const small = await examineServer({ url: address.href });
  assert.equal(small('connections')[0], 'problem');
  assert.match(small('connections')[1]!, /, 8 allowed; a process opens up to 10$/);
  address.password = noteSecret('a-wrong-password-that-is-secret');
  const wrong = await examineServer({ url: address.href });
  assert.deepEqual(wrong('database server'), [
    'problem',
    'The database does not answer: password authentication failed for user "small"',
  ]);
  assert.deepEqual(wrong('indexes'), ['skipped', 'The database does not answer']);
});

test('another encoding is a problem, and so is a prepared transaction that nobody ends', async () => {
  await primary.query(`create database ascii encoding 'SQL_ASCII' template template0 locale 'C'`);
  const ascii = await examineServer({ url: primary.postgres.url('ascii') });
  assert.deepEqual(ascii('encoding and collation'), ['problem', 'Encoding SQL_ASCII']);
  assert.deepEqual(ascii('schema')[0], 'problem');
  assert.deepEqual(ascii('extensions'), ['problem', 'Missing: btree_gin, pg_trgm']);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('create table half_done ()');
  await client.query(`prepare transaction 'forgotten'`);
  const [state, seen] = (await examineServer())('old transactions');
  await client.query(`rollback prepared 'forgotten'`);
  await client.end();
  assert.deepEqual([state, seen], ['warning', 'prepared transaction forgotten, 0 s']);
});
