// What doctor says about the databases of DATABASE_READ_URLS and RATE_LIMIT_URL, on real servers.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { migrate } from '#platform/db/migrate';
import { type Member, startPrimary, startStandby, untilCaughtUp } from '#test/database/cluster';
import { noteSecret, testConfig, testLog } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { contextFor } from '../../context.ts';
import { createDeps, endDatabases } from '../../main.ts';
import { examine } from './examine.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-doctor-databases-'));
chmodSync(folder, 0o755);
const members: Member[] = [];
after(async () => {
  for (const { postgres } of members) await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

const primary = await startPrimary(path.join(folder, 'primary'));
members.push(primary);
await primary.query('create database causeway');
await migrate(urlOf(primary));
const replica = await addStandby('replica');

function urlOf({ postgres }: Member, database = 'causeway'): string {
  const url = postgres.url(database);
  noteSecret(new URL(url).password);
  return url;
}

async function addStandby(name: string): Promise<Member> {
  const standby = await startStandby(path.join(folder, name), primary, { name });
  members.push(standby);
  return standby;
}

interface Given {
  url?: string;
  readUrls?: readonly string[];
  limitsUrl?: string;
  /** How far our clock is ahead. */
  aheadMs?: number;
  /** Before the check, with the server's own pool. */
  prepare?(deps: ReturnType<typeof createDeps>): Promise<unknown>;
}

async function examineWith({ url = urlOf(primary), aheadMs = 0, ...given }: Given) {
  const config = {
    ...testConfig(url),
    databaseReadUrls: given.readUrls ?? [],
    databaseConnectTimeoutMs: 3_000,
    ...(given.limitsUrl !== undefined && {
      rateLimitStore: 'postgres' as const,
      rateLimitUrl: given.limitsUrl,
    }),
  };
  const deps = createDeps(config, testLog());
  try {
    await given.prepare?.(deps);
    const actor = { kind: 'operator', name: 'tester', role: 'admin' } as const;
    const ctx = contextFor({ ...deps, evm: new Map() }, actor, deps.log);
    const now = new Date(ctx.now.getTime() + aheadMs);
    const findings = await examine({ ...ctx, now }, { gauges: [], jobs: [] });
    return (check: string) => findings.find((finding) => finding.check === check);
  } finally {
    await endDatabases(deps);
  }
}

/** The state and what was seen, without the version; a warning or a problem says what to do. */
async function checkReplica(readUrl: string, given: Given = {}) {
  return summaryOf((await examineWith({ ...given, readUrls: [readUrl] }))('read replica 1')!);
}

async function checkLimits(given: Given) {
  return summaryOf((await examineWith(given))('rate limits')!);
}

function summaryOf({ state, seen, advice }: { state: string; seen: string; advice?: string }) {
  if (state !== 'ok') assert.match(advice ?? '', /^[A-Z].*\.$/);
  return [state, seen.replace(/PostgreSQL [\d.]+(, )?/, '').replace(/\d+ ms/, '… ms')];
}

async function setOn({ query }: Member, name: string, value: string): Promise<void> {
  await query(`alter system set ${name} = '${value}'`);
  await query('select pg_reload_conf()');
  await waitUntil(`${name} is ${value}`, async () => {
    const { isSet } = await query(`select current_setting('${name}') = '${value}' as "isSet"`);
    return isSet;
  });
}

test('a replica that has everything is fine, and should send feedback', async () => {
  await untilCaughtUp(primary, replica);
  assert.deepEqual(await checkReplica(urlOf(replica)), [
    'warning',
    '… ms behind, hot_standby_feedback is off',
  ]);
  await setOn(replica, 'hot_standby_feedback', 'on');
  assert.deepEqual(await checkReplica(urlOf(replica)), ['ok', '… ms behind']);
});

test('a replica that is paused, late or cut off', async () => {
  await replica.query('select pg_wal_replay_pause()');
  assert.deepEqual(await checkReplica(urlOf(replica)), ['problem', 'replay is paused']);
  await replica.query('select pg_wal_replay_resume()');
  await setOn(replica, 'recovery_min_apply_delay', '3s');
  assert.deepEqual(await checkReplica(urlOf(replica)), ['warning', 'replays 3 s late']);
  await setOn(replica, 'recovery_min_apply_delay', '0');
  const { source } = await replica.query(`select current_setting('primary_conninfo') as source`);
  await setOn(replica, 'primary_conninfo', 'host=127.0.0.1 port=1');
  await waitUntil('it receives nothing', async () => {
    const { pid } = await replica.query('select max(pid) as pid from pg_stat_wal_receiver');
    return pid === null;
  });
  await primary.query('create table news ()');
  assert.deepEqual(await checkReplica(urlOf(replica)), ['warning', 'more than 2 s behind']);
  await setOn(replica, 'primary_conninfo', source);
  await untilCaughtUp(primary, replica);
  assert.deepEqual(await checkReplica(urlOf(replica)), ['ok', '… ms behind']);
});

test('an address that is not of a replica of this database', async () => {
  assert.deepEqual(await checkReplica(urlOf(primary)), ['problem', 'not a standby']);
  assert.deepEqual(await checkReplica(urlOf(replica, 'postgres')), [
    'problem',
    'a standby of another database',
  ]);
  assert.deepEqual(await checkReplica(urlOf(replica, 'missing')), [
    'problem',
    'Does not answer: database "missing" does not exist',
  ]);
  assert.deepEqual(await checkReplica('postgres://127.0.0.1:1/causeway'), [
    'problem',
    'Does not answer: connect ECONNREFUSED 127.0.0.1:1',
  ]);
  const wrong = new URL(urlOf(replica));
  wrong.password = noteSecret('a-wrong-password-for-a-replica');
  assert.deepEqual(await checkReplica(wrong.href), [
    'problem',
    `Does not answer: password authentication failed for user "${wrong.username}"`,
  ]);
});

test('the database of rate limits', async () => {
  assert.equal((await examineWith({}))('rate limits'), undefined);
  await primary.query('create database limits');
  const limitsUrl = urlOf(primary, 'limits');
  const [state, seen] = await checkLimits({ limitsUrl });
  assert.equal(state, 'problem');
  assert.match(seen!, /^the database is /);
  await migrate(limitsUrl);
  assert.deepEqual(await checkLimits({ limitsUrl }), ['ok', 'on the server of DATABASE_URL']);
  assert.deepEqual(await checkLimits({ limitsUrl, aheadMs: 60_000 }), ['problem', '60.0 s behind ours']);
  assert.deepEqual(await checkLimits({ limitsUrl: urlOf(primary) }), [
    'warning',
    'the database of DATABASE_URL',
  ]);
  assert.deepEqual(await checkLimits({ limitsUrl: urlOf(replica) }), [
    'problem',
    'a standby that accepts no writes',
  ]);
  assert.deepEqual(await checkLimits({ limitsUrl: 'postgres://127.0.0.1:1/limits' }), [
    'problem',
    'Does not answer: connect ECONNREFUSED 127.0.0.1:1',
  ]);
});

test('limits in the database that replicas shall relieve are a warning', async () => {
  assert.deepEqual(await checkLimits({ limitsUrl: '' }), ['ok', 'Counted in the database of DATABASE_URL']);
  assert.deepEqual(await checkLimits({ limitsUrl: '', readUrls: [urlOf(replica)] }), [
    'warning',
    'Counted in the database of DATABASE_URL: each read that replicas serve writes there',
  ]);
});

test('a replica of a server that was replaced is a problem', async () => {
  const next = await addStandby('next');
  await untilCaughtUp(primary, next);
  await next.promote();
  // The replica follows the old server, which writes on.
  await primary.query('create table lost as select generate_series(1, 20000)');
  await untilCaughtUp(primary, replica);
  const found = await checkReplica(urlOf(replica), {
    url: urlOf(next),
    prepare: ({ db }) => db.reading().query('select 1'),
  });
  assert.deepEqual(found, ['problem', 'follows a server that was replaced']);
});
