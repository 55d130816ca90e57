import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../test/harness.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { migrate, readMigrations } from '../platform/migrate.ts';
import { checkChainPart, selectChainHead, selectChainStart } from './queries.ts';

const migrations = readMigrations();
const newestOld = migrations.findIndex(({ name }) => name.endsWith('_audit_heads.sql'));

const change = {
  at: '2026-07-01T00:00:00Z',
  actorKind: 'operator',
  actorId: 'tester',
  action: 'tests.write',
};
const append = (client: pg.Client, of = 1) =>
  client.query('select audit_append($1::json, $2::text[])', [
    ...[JSON.stringify(Array.from({ length: of }, () => change)), Array.from({ length: of }, () => 'test:1')],
  ]);
/** As the trigger takes it. */
const insert = (client: pg.Client) =>
  client.query(
    `insert into audit_log (at, actor_kind, actor_id, action, subject) values (now(), 'operator', 'tester', 'tests.write', 'test:1')`,
  );

test('calls that wait for the migration of the head, and old names of it, go on in one chain', async (t) => {
  const databaseUrl = await cloneDatabase('template0');
  const clients: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    clients.push(client);
    await client.connect();
    return client;
  };
  t.after(() => Promise.all(clients.map((client) => client.end())));
  await migrate(databaseUrl, migrations.slice(0, newestOld));
  const [holder, observer, ...writers] = await Promise.all(Array.from({ length: 8 }, connect));
  const waiting = async (count: number) => {
    const { rows } = await observer!.query(
      "select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows[0].count === count;
  };
  for (const client of writers) {
    await append(client);
    await insert(client);
  }
  await holder!.query('begin');
  await append(holder!);
  const migrated = migrate(databaseUrl, migrations);
  await waitUntil('the migration waits', () => waiting(1));
  const held = writers.map((client, n) => (n % 2 === 0 ? append(client, 3) : insert(client)));
  await waitUntil('they all wait', () => waiting(1 + writers.length));
  await holder!.query('commit');
  await Promise.all([migrated, ...held]);
  await Promise.all(writers.map((client, n) => (n % 2 === 0 ? insert(client) : append(client, 2))));

  const db = {
    query: async (text: string, values?: unknown[]) => (await observer!.query(text, values)).rows,
  };
  const part = await checkChainPart(db as never, await selectChainStart(db as never), 1_000);
  assert.deepEqual([part.broken, part.rows], [[], 12 + 1 + 12 + 9]);
  assert.deepEqual(await selectChainHead(db as never), part.end);
  assert.deepEqual(await db.query('select id::text, hash from audit_head'), [part.end]);
});
