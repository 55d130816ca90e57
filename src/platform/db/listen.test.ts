import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testLog, useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { listen } from './listen.ts';

const harness = useHarness();

function startListening(t: TestContext, channel: string, url = harness.databaseUrl) {
  const heard = { notices: 0 };
  const listener = listen({
    url: async () => url,
    channel,
    log: testLog(),
    onNotice: () => {
      heard.notices += 1;
    },
  });
  t.after(() => listener.stop());
  return { heard, listener };
}

const notify = (channel: string) => harness.deps.db.query('select pg_notify($1, $2)', [channel, '']);

const backendsOf = (channel: string) =>
  harness.deps.db.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'causeway listener' and query = $1`,
    [`listen "${channel}"`],
  );

test('a notice is heard once the transaction that gave it is committed, and not if it is rolled back', async (t) => {
  const { heard } = startListening(t, 'one');
  await waitUntil('it listens', () => heard.notices === 1);
  await harness.deps.db.transaction(async (db) => {
    await db.query(`select pg_notify('one', '')`);
    await sleep(50);
    assert.equal(heard.notices, 1);
  });
  await waitUntil('it is heard', () => heard.notices === 2);
  const rolledBack = harness.deps.db.transaction(async (db) => {
    await db.query(`select pg_notify('one', '')`);
    throw new Error('no');
  });
  await assert.rejects(rolledBack);
  await notify('another');
  await sleep(50);
  assert.equal(heard.notices, 2);
});

test('a connection that is terminated is replaced, and what was missed in between counts as a notice', async (t) => {
  const { heard } = startListening(t, 'two');
  await waitUntil('it listens', async () => heard.notices === 1);
  const [backend] = await backendsOf('two');
  await harness.deps.db.query('select pg_terminate_backend($1)', [backend!.pid]);
  await waitUntil('it listens again', () => heard.notices === 2);
  await notify('two');
  await waitUntil('it is heard', () => heard.notices === 3);
  assert.equal((await backendsOf('two')).length, 1);
});

test('a name that needs quoting is a name', async (t) => {
  const { heard } = startListening(t, 'a "b" C');
  await waitUntil('it listens', () => heard.notices === 1);
  await notify('a "b" C');
  await waitUntil('it is heard', () => heard.notices === 2);
});

test('stopped, it hears nothing and leaves no connection; also before it is connected, and twice', async (t) => {
  const { heard, listener } = startListening(t, 'three');
  await waitUntil('it listens', () => heard.notices === 1);
  await listener.stop();
  await listener.stop();
  await waitUntil('the connection is gone', async () => (await backendsOf('three')).length === 0);
  await notify('three');
  const early = startListening(t, 'four');
  await early.listener.stop();
  await sleep(100);
  assert.deepEqual([heard.notices, early.heard.notices], [1, 0]);
  assert.equal((await backendsOf('four')).length, 0);
});

test('a database that is away is asked again until it is there', async (t) => {
  const dark = await startTunnel(t);
  dark.isOpen = false;
  const { heard } = startListening(t, 'five', dark.url);
  await waitUntil('it has tried', () => dark.refused > 0);
  dark.isOpen = true;
  await waitUntil('it listens', () => heard.notices === 1);
});

test('it stops within seconds, though the server has frozen', async (t) => {
  const tunnel = await startTunnel(t);
  const { heard, listener } = startListening(t, 'six', tunnel.url);
  await waitUntil('it listens', () => heard.notices === 1);
  tunnel.freeze();
  const stopped = await Promise.race([listener.stop().then(() => true), sleep(60_000).then(() => false)]);
  assert.equal(stopped, true);
});

/** Stands between a client and the PostgreSQL of the run. */
async function startTunnel(t: TestContext) {
  const target = new URL(harness.databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    sockets.add(inner);
    inner.on('error', () => {});
    if (!tunnel.isOpen) {
      tunnel.refused += 1;
      inner.destroy();
      return;
    }
    const outer = connect({ host: target.hostname, port: Number(target.port), allowHalfOpen: true });
    sockets.add(outer);
    outer.on('error', () => inner.destroy());
    inner.pipe(outer);
    outer.pipe(inner);
  });
  const tunnel = {
    url: '',
    isOpen: true,
    refused: 0,
    /** Nothing goes through any more, and nothing is closed. */
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  tunnel.url = url.href;
  return tunnel;
}

test('a connection whose other side is silent is replaced within seconds', async (t) => {
  const { hostname, port } = new URL(harness.databaseUrl);
  let isSilent = false;
  const pairs: Socket[] = [];
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    pairs.push(near, far);
    for (const one of [near, far]) one.on('error', () => {});
    near.on('data', (bytes) => isSilent || far.write(bytes));
    far.on('data', (bytes) => isSilent || near.write(bytes));
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    for (const socket of pairs) socket.destroy();
    proxy.close();
  });
  const url = new URL(harness.databaseUrl);
  url.host = `127.0.0.1:${(proxy.address() as { port: number }).port}`;
  const { heard } = startListening(t, 'silent', url.href);
  await waitUntil('it listens', () => heard.notices === 1);
  isSilent = true;
  await waitUntil('another connection is tried', () => pairs.length > 2, 15_000);
  isSilent = false;
  await waitUntil('it listens again', () => heard.notices === 2, 15_000);
});
