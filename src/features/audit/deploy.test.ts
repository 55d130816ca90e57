import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { databaseBefore } from '#test/database-before';
import { checkChainPart, selectChainHead, selectChainStart } from './queries.ts';

const change = {
  at: '2026-07-01T00:00:00Z',
  actorKind: 'operator',
  actorId: 'tester',
  action: 'tests.write',
};
const append = (client: pg.Client, of = 1) =>
  client.query('select audit_append($1::json, $2::text[])', [
    JSON.stringify(Array.from({ length: of }, () => change)),
    Array.from({ length: of }, () => 'test:1'),
  ]);
/** As the trigger takes it. */
const insert = (client: pg.Client) =>
  client.query(
    `insert into audit_log (at, actor_kind, actor_id, action, subject) values (now(), 'operator', 'tester', 'tests.write', 'test:1')`,
  );

test('calls that wait for the migration of the head, and old names of it, go on in one chain', async (t) => {
  const { connect, query, apply, untilWaiting } = await databaseBefore(t, 'audit_heads');
  const holder = await connect();
  const writers = await Promise.all(Array.from({ length: 6 }, connect));
  for (const client of writers) {
    await append(client);
    await insert(client);
  }
  await holder.query('begin');
  await append(holder);
  const applied = apply();
  await untilWaiting(1);
  const held = writers.map((client, n) => (n % 2 === 0 ? append(client, 3) : insert(client)));
  await untilWaiting(1 + writers.length);
  await holder.query('commit');
  await Promise.all([applied, ...held]);
  await Promise.all(writers.map((client, n) => (n % 2 === 0 ? insert(client) : append(client, 2))));

  const db = { query } as never;
  const part = await checkChainPart(db, await selectChainStart(db), 1_000);
  assert.deepEqual([part.broken, part.rows], [[], 12 + 1 + 12 + 9]);
  assert.deepEqual(await selectChainHead(db), part.end);
  assert.deepEqual(await query('select id::text, hash from audit_head'), [part.end]);
});
