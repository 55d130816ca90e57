import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import {
  deposit,
  events,
  failure,
  faultOf,
  type Handler,
  json,
  token,
  useIssuerStub,
} from '#test/outside/issuer-stub';
import { createHttpIssuer } from './index.ts';

let answer: Handler;
const { asked, url, issuer, operations, everyOperation } = await useIssuerStub(() => answer);

const writes = everyOperation.filter(([, { sent }]) => sent[0] !== 'GET');

const outages: [string, Handler][] = [
  ['503', failure('unavailable', 503)],
  ['500 with a page', (_request, response) => response.writeHead(500).end('CANARY')],
  ['502', (_request, response) => response.writeHead(502).end()],
  ['429', (_request, response) => response.writeHead(429).end()],
  ['a broken connection', (request) => request.socket.destroy()],
  [
    'half an answer',
    (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"id":"CANARY');
      setTimeout(() => request.socket.destroy(), 20);
    },
  ],
];
for (const [what, handler] of outages) {
  test(`unavailable after three attempts, a reveal after one: ${what}`, async () => {
    answer = handler;
    const faults = await Promise.all(everyOperation.map(([, { call }]) => faultOf(call())));
    assert.deepEqual(new Set(faults.map(({ reason }) => reason)), new Set(['unavailable']));
    for (const [name, { sent, isRepeated }] of everyOperation) {
      const times = asked.filter(({ method, url }) => method === sent[0] && url === sent[1]).length;
      assert.equal(times, isRepeated ? 3 : 1, name);
    }
  });
}

test('a write is repeated as it was, under the same key, and its third answer counts', async () => {
  const repeated = writes.filter(([, { isRepeated }]) => isRepeated);
  assert.equal(repeated.length, 5);
  answer = (request, response, seen) => {
    const isLast = asked.filter(({ method, url }) => method === seen.method && url === seen.url).length === 3;
    const { good } = repeated.find(([, { sent }]) => sent[0] === seen.method && sent[1] === seen.url)![1];
    if (isLast) json(good)(request, response, seen);
    else request.socket.destroy();
  };
  await Promise.all(repeated.map(([, { call }]) => call()));
  for (const [name, { sent }] of repeated) {
    const facts = asked
      .filter(({ method, url }) => method === sent[0] && url === sent[1])
      .map(({ body, headers }) => [body, headers['idempotency-key']]);
    assert.deepEqual(facts, [facts[0], facts[0], facts[0]], name);
  }
});

test('a deposit is announced under one key each time, another one under another', async () => {
  answer = json({});
  await issuer.announceDeposit(deposit);
  await issuer.announceDeposit({ ...deposit });
  await issuer.announceDeposit({ ...deposit, logIndex: 4 });
  await issuer.announceDeposit({ ...deposit, amount: '26.00' });
  const keys = asked.map(({ headers }) => headers['idempotency-key']);
  assert.equal(keys[0], keys[1]);
  assert.equal(new Set(keys).size, 3);
});

test('two simulations are two, under two keys', async () => {
  answer = json({ events });
  await operations.simulate.call();
  await operations.simulate.call();
  assert.notEqual(asked[0]!.headers['idempotency-key'], asked[1]!.headers['idempotency-key']);
});

const slow: [string, Handler][] = [
  ['says nothing', () => {}],
  [
    'never ends its answer',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const trickle = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(trickle));
    },
  ],
];
for (const [what, handler] of slow) {
  test(`unavailable in time: the issuer ${what}`, async (t) => {
    answer = handler;
    const patient = { ...issuer };
    Object.assign(issuer, createHttpIssuer({ url, token, timeoutMs: 1_500 }));
    t.after(() => {
      Object.assign(issuer, patient);
    });
    const timed = async (call: () => Promise<unknown>) => {
      const startedAt = performance.now();
      assert.equal((await faultOf(call())).message, 'The issuer did not answer in time.');
      return performance.now() - startedAt;
    };
    const revealMs = await timed(operations.reveal.call);
    assert.ok(revealMs > 1_400 && revealMs < 60_000, `${revealMs} ms`);
    assert.equal(asked.length, 1);
    const readMs = await timed(operations.readCard.call);
    assert.ok(readMs > 4_500 && readMs < 60_000, `${readMs} ms: three attempts and two pauses`);
    assert.equal(asked.length, 4);
  });
}

for (const [what, headers] of [
  ['as it is', {}],
  ['packed', { 'content-encoding': 'gzip' }],
] as const) {
  test(`unavailable: an answer without end is cut, ${what}`, async () => {
    let sent = 0;
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const push = () => {
        while (!response.destroyed && sent < 200 * chunk.length) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', push);
        }
      };
      push();
    };
    const patient = createHttpIssuer({ url, token, timeoutMs: 60_000 });
    assert.equal((await faultOf(patient.readEvents({ after: 0n, limit: 1 }))).reason, 'unavailable');
    assert.ok(sent < 100 * 1024 * 1024, `${sent} bytes were taken`);
  });
}

test('unavailable: a redirect is not followed, and nobody else sees the token', async () => {
  let strangers = 0;
  const stranger = createServer((_request, response) => {
    strangers++;
    response.end('{}');
  });
  stranger.listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const location = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`;
  try {
    for (const status of [301, 302, 303, 307, 308]) {
      answer = (_request, response) => response.writeHead(status, { location }).end();
      asked.length = 0;
      for (const [name, { call }] of everyOperation) {
        assert.equal((await faultOf(call())).reason, 'unavailable', name);
      }
      assert.equal(asked.length, everyOperation.length, 'each is asked once');
    }
    assert.equal(strangers, 0);
  } finally {
    stranger.close();
    stranger.closeAllConnections();
  }
});

test('unavailable: nobody is at the address', async () => {
  const nobody = createHttpIssuer({ url: 'http://127.0.0.1:1', token });
  assert.equal((await faultOf(nobody.readCard('card_1'))).message, 'The issuer cannot be reached.');
});
