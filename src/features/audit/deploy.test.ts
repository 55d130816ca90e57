import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import type { Db } from '#platform/db/db';
import { databaseBefore } from '#test/database/database-before';
import { checkLogPart, selectChainHeads } from './queries.ts';

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
  const { connect, query, apply, migrate, untilWaiting } = await databaseBefore(t, 'audit_heads');
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

  await migrate();
  const { chains, ...verdict } = await verify(query);
  assert.deepEqual(verdict, { rows: 12 + 1 + 12 + 9, broken: [] });
  assert.deepEqual(Object.keys(chains), ['0']);
  assert.deepEqual(await query('select id::text from audit_heads'), [{ id: chains[0] }]);
});

test('calls that run while the chains are introduced stay in the first one, and later ones use several', async (t) => {
  const { connect, query, migrate, untilWaiting } = await databaseBefore(t, 'audit_chains');
  const holder = await connect();
  const writers = await Promise.all(Array.from({ length: 6 }, connect));
  for (const client of writers) await append(client);
  await holder.query('begin');
  await append(holder);
  const held = writers.map((client, n) => (n % 2 === 0 ? append(client, 3) : insert(client)));
  await untilWaiting(writers.length);
  const applied = migrate();
  await holder.query('commit');
  await Promise.all([applied, ...held]);
  const before = await verify(query);
  assert.deepEqual([before.rows, before.broken, Object.keys(before.chains)], [6 + 1 + 12, [], ['0']]);

  for (const client of writers) await client.query('begin');
  for (const [n, client] of writers.entries()) await (n % 2 === 0 ? insert(client) : append(client, 2));
  for (const client of writers) await client.query('commit');
  const after = await verify(query);
  assert.deepEqual([after.rows, after.broken], [19 + 9, []]);
  assert.deepEqual(Object.keys(after.chains), ['0', '1', '2', '3', '4', '5']);
});

/** What `audit.verify` would find, and the last id of each chain, which must be that of its head. */
async function verify(query: Db['query']) {
  const db = { query } as Db;
  const { rows, broken, ends } = await checkLogPart(db, { afterId: '0', starts: [] }, 1_000);
  assert.deepEqual(ends, await selectChainHeads(db));
  return { rows, broken, chains: Object.fromEntries(ends.map(({ chain, id }) => [chain, id])) };
}
