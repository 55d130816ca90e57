import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpIssuer } from '#adapters/issuer';
import { createLog } from '#platform/observe/log';
import { systemClock } from '#platform/values/clock';
import { waitUntil } from '#test/wait-until';
import { deliverWebhooks } from './deliver-webhooks.ts';
import { createProtocolServer } from './serve-protocol.ts';
import { openStore } from './store.ts';
import { openVault } from './vault.ts';

test('a change is on disk before its writer, a reader or a webhook learns of it', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway issuer '));
  const log = createLog({ level: 'silent' });
  const [vault, opened] = [await openVault(folder), await openStore(folder, systemClock)];
  // The real store on a disk that takes as long as the test wants.
  const disk = Promise.withResolvers<void>();
  let isSlow = false;
  const durable = async () => {
    await opened.durable();
    if (isSlow) await disk.promise;
  };
  const store = { ...opened, durable };
  const positionFile = path.join(folder, 'delivered');
  const { events } = store.state;
  const deliveries = deliverWebhooks({ events, durable, clock: systemClock, positionFile, log });
  const clock = Object.assign(() => new Date(), { setOffset() {} });
  const token = randomUUID();
  const server = createProtocolServer({ token, store, vault, deliveries, clock, log });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    server.closeAllConnections();
    await deliveries.stop();
    await store.close();
    await vault.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = createHttpIssuer({ url: origin, token, timeoutMs: 60_000 });
  const arrived: string[] = [];
  const receiver = createServer((request, response) => {
    arrived.push(String(request.headers['webhook-id']));
    response.end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.after(() => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  deliveries.setTarget({ url, secret: Buffer.alloc(32, 7).toString('base64') });
  const user = await issuer.createUser({ reference: 'first', idempotencyKey: 'first' });
  await waitUntil('the first webhook', () => arrived.length === 1);

  isSlow = true;
  const told: string[] = [];
  const note = (what: string) => (value: unknown) => {
    told.push(what);
    return value;
  };
  const pending = [
    issuer.createUser({ reference: 'second', idempotencyKey: 'second' }).then(note('written')),
    sleep(50).then(() => issuer.readEvents({ after: 1n, limit: 10 }).then(note('read'))),
    sleep(50).then(() =>
      issuer.createUser({ reference: 'second', idempotencyKey: 'second' }).then(note('again')),
    ),
  ];
  await sleep(600);
  assert.equal(events.length, 2, 'it has happened');
  assert.deepEqual(told, []);
  assert.equal(arrived.length, 1);
  disk.resolve();
  const [written, read, again] = await Promise.all(pending);
  assert.deepEqual(again, written);
  assert.deepEqual(
    (read as { data: unknown }[]).map(({ data }) => data),
    [written],
  );
  assert.notDeepEqual(written, user);
  await waitUntil('the second webhook', () => arrived[1] === events[1]!.id);
});
