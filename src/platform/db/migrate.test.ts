import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { processFile } from '#test/bundle/process-file';
import { cloneDatabase, testConfig, testLog } from '#test/harness';
import { serve } from '../../main.ts';
import { readFunctions } from './apply-functions.ts';
import {
  type Applied,
  knownVersion,
  type Migration,
  MigrationFault,
  migrate,
  readMigrations,
} from './migrate.ts';

const emptyDatabase = () => cloneDatabase('template0');

async function query<T extends pg.QueryResultRow>(databaseUrl: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

const tableNames = async (databaseUrl: string) => {
  const rows = await query<{ name: string }>(
    databaseUrl,
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  );
  return rows.map(({ name }) => name);
};

const migration = (version: number, sql: string): Migration => ({
  version,
  name: `${String(version).padStart(4, '0')}_test.sql`,
  sql,
  sha256: createHash('sha256').update(sql).digest('hex'),
});

const namesOf = (files: readonly { name: string }[]) => files.map(({ name }) => name);

/** A release without functions. */
const only = (...migrations: Migration[]) => ({ release: { migrations, functions: [] } });

test('twenty processes migrate an empty database at once: one applies everything, none fails', async () => {
  const databaseUrl = await emptyDatabase();
  const script = processFile('test/processes/migrate.ts');
  const processes = Array.from({ length: 20 }, () => fork(script, [databaseUrl]));
  const exits = processes.map(async (child) => (await once(child, 'exit'))[0]);
  // Without a race, a process that dies would be waited for until the test times out.
  const hearFrom = async (child: ChildProcess) => {
    const died = once(child, 'exit').then(([code]) => assert.fail(`a process ended with ${code}`));
    const [said] = await Promise.race([once(child, 'message'), died]);
    died.catch(() => undefined);
    return said;
  };
  await Promise.all(processes.map(hearFrom));
  const reports: Applied[] = await Promise.all(
    processes.map((child) => {
      child.send('go');
      return hearFrom(child);
    }),
  );
  assert.deepEqual(new Set(await Promise.all(exits)), new Set([0]));
  assert.deepEqual(
    reports.filter(({ migrations, functions }) => migrations.length + functions.length > 0),
    [
      {
        migrations: namesOf(readMigrations()),
        functions: namesOf(readFunctions()),
        hasLaterFunctions: false,
      },
    ],
  );
  const rows = await query<{ version: number }>(
    databaseUrl,
    'select version from schema_migrations order by version',
  );
  assert.deepEqual(
    rows.map(({ version }) => version),
    readMigrations().map(({ version }) => version),
  );
});

test('a migration that fails leaves nothing of itself, and what came before it stays', async () => {
  const databaseUrl = await emptyDatabase();
  const good = migration(1, 'create table kept (id integer)');
  const bad = migration(2, 'create table half (id integer); insert into half values (1); select 1 / 0');
  await assert.rejects(migrate(databaseUrl, only(good, bad)), {
    constructor: MigrationFault,
    message: 'Migration 0002_test.sql failed: division by zero',
  });
  assert.deepEqual(await tableNames(databaseUrl), ['kept', 'schema_migrations']);
  const fixed = migration(2, 'create table whole (id integer)');
  assert.deepEqual((await migrate(databaseUrl, only(good, fixed))).migrations, ['0002_test.sql']);
  assert.deepEqual((await migrate(databaseUrl, only(good, fixed))).migrations, []);
});

test('an applied migration whose file was changed is refused before anything is applied', async () => {
  const databaseUrl = await emptyDatabase();
  await migrate(databaseUrl, only(migration(1, 'create table one (id integer)')));
  const changed = [
    migration(1, 'create table one (id bigint)'),
    migration(2, 'create table two (id integer)'),
  ];
  await assert.rejects(migrate(databaseUrl, only(...changed)), {
    constructor: MigrationFault,
    message: 'Migration 0001_test.sql was changed after it was applied; write a new migration instead.',
  });
  assert.deepEqual(await tableNames(databaseUrl), [
    'one',
    'schema_function_sets',
    'schema_functions',
    'schema_migrations',
  ]);
});

test('a schema newer than the release is refused by migrate and by serve', async () => {
  const databaseUrl = await cloneDatabase();
  const newer = knownVersion + 1;
  await query(
    databaseUrl,
    `insert into schema_migrations (version, name, sha256) values (${newer}, 'later', '')`,
  );
  const refusal = {
    constructor: MigrationFault,
    message: `The database is at schema version ${newer}, newer than ${knownVersion}, the newest that this release knows: start a newer release.`,
  };
  await assert.rejects(migrate(databaseUrl), refusal);
  await assert.rejects(serve(testConfig(databaseUrl), testLog(), ['api']), refusal);
});

test('a schema older than the release, or none at all, is refused by serve, which says what to run', async () => {
  await assert.rejects(serve(testConfig(await emptyDatabase()), testLog(), ['api']), {
    constructor: MigrationFault,
    message: `The database is at schema version 0 and this release needs ${knownVersion}: run \`causeway migrate\` first.`,
  });
});

test('a connection lost in the middle of a migration fails the call, not the process, and leaves nothing', async () => {
  const databaseUrl = await emptyDatabase();
  const lost = assert.rejects(
    migrate(databaseUrl, only(migration(1, 'select pg_sleep(30)'))),
    /terminating connection due to administrator command|Connection terminated/,
  );
  const isSleeping = async () =>
    (await query(databaseUrl, `select from pg_stat_activity where wait_event = 'PgSleep'`)).length > 0;
  while (!(await isSleeping())) await sleep(10);
  await query(
    databaseUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`,
  );
  await lost;
  assert.deepEqual(await query(databaseUrl, 'select * from schema_migrations'), []);
});

/** As much of PostgreSQL's protocol as it takes to say its version. */
async function serverOfVersion(version: string) {
  const packet = (type: string, body: Buffer) => {
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const text = (value: string) => Buffer.from(`${value}\0`);
  const int16 = (...values: number[]) =>
    Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 255])));
  const ready = packet('Z', Buffer.from('I'));
  const column = Buffer.concat([text('version'), int16(0, 0, 0, 0, 25, 0xffff, 0xffff, 0xffff, 0)]);
  const value = Buffer.concat([int16(1, 0, version.length), Buffer.from(version)]);
  const answer = Buffer.concat([
    packet('T', Buffer.concat([int16(1), column])),
    packet('D', value),
    packet('C', text('SELECT 1')),
    ready,
  ]);
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([packet('R', Buffer.alloc(4)), ready]));
      socket.on('data', (data) => (data[0] === 0x51 ? socket.write(answer) : socket.end()));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `postgres://causeway@127.0.0.1:${(server.address() as AddressInfo).port}/causeway` };
}

test('a server older than PostgreSQL 18 is refused in a sentence', async () => {
  const { server, url } = await serverOfVersion('17.5 (Debian 17.5-1)');
  try {
    await assert.rejects(migrate(url), {
      constructor: MigrationFault,
      message: 'Causeway needs PostgreSQL 18 or later; this server is 17.5 (Debian 17.5-1).',
    });
  } finally {
    server.close();
  }
});
