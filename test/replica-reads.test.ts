// The product on a primary server and a replica: what reads is answered by the replica, and is not stale.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { migrate } from '#platform/db/migrate';
import { makeKey, makeLines, makeWithdrawal } from '#test/data/factories';
import { type Member, startPrimary, startStandby, untilCaughtUp } from '#test/database/cluster';
import { numberAll } from '#test/database/number-events';
import { setStandbys } from '#test/database/set-standbys';
import { signIn } from '#test/worlds/console';
import { commands } from '../src/app.ts';
import { createToken } from '../src/features/keys/token.ts';
import { readTestLog, useHarness } from './harness.ts';
import { waitUntil } from './wait-until.ts';

let folder: string;
let primary: Member;
let replica: Member;
let key: IssuedKey;

const harness = useHarness(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'causeway replica '));
  // Run by root, the servers belong to another account.
  await chmod(folder, 0o755);
  primary = await startPrimary(path.join(folder, 'one'));
  await primary.query('create database causeway');
  await migrate(primary.postgres.url('causeway'));
  replica = await startStandby(path.join(folder, 'two'), primary, { name: 'two' });
  const urlOf = ({ postgres }: Member) => postgres.url('causeway');
  return { databaseUrl: urlOf(primary), databaseReadUrls: [urlOf(replica)] };
});

before(async () => {
  key = await makeKey(harness, { scopes: ['mcp'] });
  await makeLines(harness, key.userId, [{}, {}, {}]);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
});

after(async () => {
  await harness.deps?.db.end();
  for (const { postgres } of [primary, replica]) await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function readsBy(server: string): Promise<number> {
  const metric = harness.deps.metrics.registry.getSingleMetric('causeway_database_reads_total')!;
  const { values } = await metric.get();
  return values.find(({ labels }) => labels.server === server)?.value ?? 0;
}

const tool = (name: string) => ({
  token: key.token,
  headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
});

const reads: Record<string, () => Promise<{ status: number; body: unknown }>> = {
  'history of an account': () =>
    harness.request('GET', '/api/history?resource=account&feature=account', { token: key.token }),
  'a list of withdrawals': () =>
    harness.request('GET', `/api/crypto/${key.userId}/withdraws`, { token: key.token }),
  'the feed of events': () => harness.request('GET', '/api/events', { token: key.token }),
  'an MCP tool': () => harness.request('POST', '/mcp', tool('getAccountBalance')),
  'a command of operators': () => harness.operator('withdrawals.list'),
  'a statement': () =>
    harness.operator('ledger.statement', {
      userId: key.userId,
      from: '2026-01-01',
      to: '2026-01-31',
      format: 'csv',
    }),
  'a page of the console': async () => (await signIn(harness)).get('/console'),
};

for (const [name, read] of Object.entries(reads)) {
  test(`200 from the replica: ${name}`, async () => {
    await untilCaughtUp(primary, replica);
    // A busy machine may keep the replica behind for a while.
    await waitUntil('only the replica was asked', async () => {
      const before = { replica: await readsBy('replica'), primary: await readsBy('primary') };
      const { status, body } = await read();
      assert.equal(status, 200, JSON.stringify(body));
      return (await readsBy('replica')) > before.replica && (await readsBy('primary')) === before.primary;
    });
  });
}

test('a withdrawal is in the list that is read after it, again and again', async () => {
  const answered = await readsBy('replica');
  for (let at = 0; at < 100; at++) {
    const externalId = `after-${at}`;
    const created = await harness.request('POST', `/api/crypto/${key.userId}/withdraw`, {
      token: key.token,
      body: { amount: '1', to: `0x${String(at).padStart(40, '1')}`, externalId },
    });
    assert.equal(created.status, 200);
    const { body } = await harness.request('GET', `/api/crypto/${key.userId}/withdraws?perPage=1`, {
      token: key.token,
    });
    assert.ok(JSON.stringify(body).includes(externalId), JSON.stringify(body));
  }
  assert.ok((await readsBy('replica')) > answered);
});

const readCommands = commands.filter(
  ({ changes, input: { required = [] } }) => !changes && required.length === 0,
);

test('no read command asks a replica for what only the primary server can do', async () => {
  assert.ok(readCommands.length > 20);
  const warnings = () => readTestLog().split('a replica did not answer a read').length;
  const before = warnings();
  for (const { name } of readCommands) {
    const { status, body } = await harness.operator(name);
    assert.ok(status < 500 || status === 503, `${name}: ${status} ${JSON.stringify(body)}`);
  }
  assert.equal(warnings(), before);
});

test('doctor looks at the primary server', async () => {
  const { body } = await harness.operator('doctor');
  assert.ok(!JSON.stringify(body).includes('accepts no writes'), JSON.stringify(body));
});

const history = (token: string) =>
  harness.request('GET', '/api/history?resource=account&feature=account', { token });

test('401 from the replica for an unknown key: the primary server looks up no key', async () => {
  await untilCaughtUp(primary, replica);
  const unknown = createToken().text;
  await waitUntil('only the replica was asked', async () => {
    const before = { replica: await readsBy('replica'), primary: await readsBy('primary') };
    assert.equal((await history(unknown)).status, 401);
    return (await readsBy('replica')) > before.replica && (await readsBy('primary')) === before.primary;
  });
});

test('a revoked key is refused at once, also while the replica stands still', async () => {
  const own = await makeKey(harness, { scopes: ['mcp'] });
  assert.equal((await history(own.token)).status, 200);
  await replica.query('select pg_wal_replay_pause()');
  assert.equal((await harness.operator('keys.revoke', { keyId: own.id })).status, 200);
  assert.equal((await history(own.token)).status, 401);
  const { status } = await harness.request('POST', '/mcp', {
    ...tool('getAccountBalance'),
    token: own.token,
  });
  assert.equal(status, 401);
  await replica.query('select pg_wal_replay_resume()');
});

test('a key that is revoked during a long poll gets no event, also if the replica stands still', async (t) => {
  const own = await makeKey(harness);
  const other = await makeKey(harness, { partnerId: own.partnerId, userId: own.userId });
  await setStandbys(harness.deps.db, 'ANY 1 (*)');
  await untilCaughtUp(primary, replica);
  // The feed is then read from the primary server, and only the key's check could use the replica.
  const deps = harness.deps as { isReplicationSynchronous: boolean };
  deps.isReplicationSynchronous = true;
  t.after(async () => {
    deps.isReplicationSynchronous = false;
    await replica.query('select pg_wal_replay_resume()');
  });
  const answered = await readsBy('replica');
  const waiting = harness.request('GET', '/api/events?wait=20', { token: own.token });
  await waitUntil('the replica has checked the key', async () => (await readsBy('replica')) > answered);
  await replica.query('select pg_wal_replay_pause()');
  assert.equal((await harness.operator('keys.revoke', { keyId: own.id })).status, 200);
  await makeWithdrawal(harness, other);
  await numberAll(harness);
  assert.equal((await waiting).status, 401);
});

test('an MCP tool shows what was written before its body came, also if the replica stands still', async (t) => {
  const own = await makeKey(harness, { scopes: ['mcp'] });
  await untilCaughtUp(primary, replica);
  const answered = await readsBy('replica');
  const { headers, body } = tool('getAccountBalance');
  const sent = request(`${harness.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${own.token}`, 'content-type': 'application/json' },
  });
  const answer = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.flushHeaders();
  await waitUntil('the replica has checked the key', async () => (await readsBy('replica')) > answered);
  await replica.query('select pg_wal_replay_pause()');
  t.after(() => replica.query('select pg_wal_replay_resume()'));
  await makeLines(harness, own.userId, [{ assetReceived: 'USDC', amountReceived: '4711' }]);
  sent.end(JSON.stringify(body));
  const [response] = await answer;
  assert.match(await text(response), /4711/);
});

test('a key works from the moment it is issued until the moment it is revoked, again and again', async () => {
  const answered = await readsBy('replica');
  for (let at = 0; at < 30; at++) {
    const own = await makeKey(harness);
    assert.equal((await history(own.token)).status, 200);
    assert.equal((await harness.operator('keys.suspend', { keyId: own.id, reason: 'test' })).status, 200);
    assert.equal((await history(own.token)).status, 401);
    assert.equal((await harness.operator('keys.resume', { keyId: own.id })).status, 200);
    assert.equal((await harness.operator('keys.revoke', { keyId: own.id })).status, 200);
    assert.equal((await history(own.token)).status, 401);
  }
  assert.ok((await readsBy('replica')) > answered);
});
