import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyWebhook, type WebhookVerdict } from '#adapters/issuer';
import { startTestIssuer, type TestIssuer } from '#test/outside/issuer';
import { waitUntil } from '#test/wait-until';

interface Receiver {
  url: string;
  /** The sequence of every webhook that arrived, whatever was answered. */
  arrived: number[];
  verdicts: WebhookVerdict[];
  secret: string;
  answer(response: ServerResponse, sequence: number): void;
}

const take = (response: ServerResponse) => void response.writeHead(204).end();

/** A server that webhooks go to, which checks them as ours does. */
async function startReceiver(t: TestContext): Promise<Receiver> {
  const receiver: Receiver = { url: '', arrived: [], verdicts: [], secret: '', answer: take };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    receiver.verdicts.push(verifyWebhook(receiver.secret, request.headers, body, new Date()));
    const sequence = Number(JSON.parse(body.toString()).sequence);
    receiver.arrived.push(sequence);
    receiver.answer(response, sequence);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return receiver;
}

async function startServer(t: TestContext, receiver: Receiver, isToldLater = false): Promise<TestIssuer> {
  const server = await startTestIssuer(isToldLater ? {} : { webhookUrl: receiver.url });
  receiver.secret = server.webhookSecret;
  t.after(() => server.stop());
  return server;
}

const makeUsers = async ({ issuer }: TestIssuer, count: number) => {
  for (let at = 0; at < count; at++) {
    await issuer.createUser({ reference: randomUUID(), idempotencyKey: randomUUID() });
  }
};
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test('every event arrives, signed, once and in order, the same as the feed tells it', async (t) => {
  const receiver = await startReceiver(t);
  const server = await startServer(t, receiver);
  await Promise.all(upTo(30).map(() => makeUsers(server, 1)));
  await waitUntil('30 webhooks', () => receiver.arrived.length >= 30);
  assert.deepEqual(receiver.arrived, upTo(30));
  const events = await server.issuer.readEvents({ after: 0n, limit: 100 });
  assert.deepEqual(
    receiver.verdicts,
    events.map((event) => ({ event })),
  );
});

test('what is not taken is sent again, and nothing overtakes it', async (t) => {
  const receiver = await startReceiver(t);
  const failures: ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(500).end(),
    (response) => response.writeHead(400).end(),
    (response) => response.writeHead(302, { location: receiver.url }).end(),
    (response) => response.destroy(),
  ];
  receiver.answer = (response, sequence) => {
    const failure = sequence === 2 ? failures.shift() : undefined;
    if (failure) failure(response);
    else take(response);
  };
  const server = await startServer(t, receiver);
  await makeUsers(server, 4);
  await waitUntil('the last one', () => receiver.arrived.includes(4));
  assert.deepEqual(receiver.arrived, [1, 2, 2, 2, 2, 2, 3, 4]);
  assert.ok(receiver.verdicts.every((verdict) => 'event' in verdict));
});

test('a receiver that never answers holds nobody up but itself, and one at a time', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => {};
  const server = await startServer(t, receiver);
  await makeUsers(server, 10);
  await waitUntil('the first one', () => receiver.arrived.length > 0);
  assert.deepEqual(new Set(receiver.arrived), new Set([1]), 'the second waits for the first');
  receiver.answer = take;
  await waitUntil('the rest, after the timeout', () => receiver.arrived.includes(10));
  assert.deepEqual([...new Set(receiver.arrived)], upTo(10));
});

test('with a URL set later, waiting events are sent first; another URL gets the rest', async (t) => {
  const [first, second] = [await startReceiver(t), await startReceiver(t)];
  const server = await startServer(t, first, true);
  second.secret = server.webhookSecret;
  await makeUsers(server, 3);
  assert.deepEqual(first.arrived, []);
  await server.setWebhook(first.url);
  await waitUntil('three', () => first.arrived.length === 3);
  // Nobody is there for a while, and then somewhere else.
  await server.setWebhook('http://127.0.0.1:1/hook');
  await makeUsers(server, 2);
  // By then it pauses for ten seconds.
  await sleep(13_500);
  await server.setWebhook(second.url);
  await waitUntil('two', () => second.arrived.length === 2, 8_000);
  assert.deepEqual(
    [first.arrived, second.arrived],
    [
      [1, 2, 3],
      [4, 5],
    ],
  );
  assert.ok([...first.verdicts, ...second.verdicts].every((verdict) => 'event' in verdict));
});

test('killed: it goes on where it was; the last few may come twice, and none is left out', async (t) => {
  const receiver = await startReceiver(t);
  const server = await startServer(t, receiver);
  await makeUsers(server, 20);
  await waitUntil('twenty', () => receiver.arrived.includes(20));
  // How far it came is saved within a moment.
  await sleep(500);
  receiver.answer = (response) => void response.writeHead(503).end();
  await makeUsers(server, 5);
  await waitUntil('a failure', () => receiver.arrived.includes(21));
  await server.crash();
  receiver.answer = take;
  await waitUntil('the rest', () => receiver.arrived.includes(25));
  assert.deepEqual(receiver.arrived.slice(0, 20), upTo(20));
  const rest = receiver.arrived.slice(20);
  assert.deepEqual(new Set(rest), new Set([21, 22, 23, 24, 25]), 'nothing of before');
  assert.deepEqual(
    rest,
    rest.toSorted((a, b) => a - b),
  );

  await server.crash();
  await makeUsers(server, 1);
  await waitUntil('one more', () => receiver.arrived.includes(26));
  const seen = receiver.arrived;
  assert.deepEqual(
    [...new Set(seen)].toSorted((a, b) => a - b),
    upTo(26),
  );
});
