import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createScreening } from './index.ts';

const payee = { network: 'polygon', currency: 'USDT', address: `0x${'ab'.repeat(20)}` };

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;
let answer: Handler;
let asked = 0;
let server: Server;
let url: string;

before(async () => {
  server = createServer(async (request, response) => {
    asked++;
    let body = '';
    for await (const chunk of request) body += chunk;
    answer(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/screen?tenant=7`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

const json =
  (value: unknown, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

test('without a provider everybody is allowed, and nobody is asked', async () => {
  for (const none of [undefined, '']) assert.equal(await createScreening(none).screen(payee), 'allowed');
  assert.equal(asked, 0);
});

test('the provider gets network, currency and address by POST, and nothing else', async () => {
  let seen: unknown;
  answer = (request, response, body) => {
    seen = [request.method, request.url, request.headers['content-type'], JSON.parse(body)];
    json({ allowed: true })(request, response, body);
  };
  assert.equal(await createScreening(url).screen(payee), 'allowed');
  assert.deepEqual(seen, ['POST', '/screen?tenant=7', 'application/json', payee]);
});

for (const [what, handler, verdict] of [
  ['allowed: true', json({ allowed: true }), 'allowed'],
  ['allowed: true with more beside it', json({ allowed: true, score: 3 }), 'allowed'],
  ['allowed: false', json({ allowed: false }), 'refused'],
  ['nothing said', json({}), 'unknown'],
  ['"true"', json({ allowed: 'true' }), 'unknown'],
  ['1', json({ allowed: 1 }), 'unknown'],
  ['null for allowed', json({ allowed: null }), 'unknown'],
  ['null', json(null), 'unknown'],
  ['an array', json([{ allowed: true }]), 'unknown'],
  ['a word', json('allowed'), 'unknown'],
  ['not JSON', (_request, response) => response.end('allowed'), 'unknown'],
  ['no body', (_request, response) => response.end(), 'unknown'],
  ['500', json({ allowed: true }, 500), 'unknown'],
  ['404 with a refusal in it', json({ allowed: false }, 404), 'unknown'],
  ['201', json({ allowed: true }, 201), 'unknown'],
  [
    'a redirect, which would tell somebody else',
    (_request, response) => response.writeHead(307, { location: url }).end(),
    'unknown',
  ],
  ['a broken connection', (request) => request.socket.destroy(), 'unknown'],
  [
    'half an answer',
    (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"allowed":');
      setTimeout(() => request.socket.destroy(), 20);
    },
    'unknown',
  ],
] as [string, Handler, string][]) {
  test(`${verdict}: the provider answers ${what}`, async () => {
    answer = handler;
    const askedBefore = asked;
    assert.equal(await createScreening(url).screen(payee), verdict);
    assert.equal(asked, askedBefore + 1, 'asked once');
  });
}

for (const [what, handler] of [
  ['says nothing', () => {}],
  [
    'never ends its answer',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const trickle = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(trickle));
    },
  ],
] as [string, Handler][]) {
  test(`unknown after two seconds: the provider ${what}`, async () => {
    answer = handler;
    const startedAt = performance.now();
    assert.equal(await createScreening(url).screen(payee), 'unknown');
    const ms = performance.now() - startedAt;
    assert.ok(ms > 1_900 && ms < 60_000, `${ms} ms`);
  });
}

test('unknown: nobody is at the address', async () => {
  assert.equal(await createScreening('http://127.0.0.1:1/').screen(payee), 'unknown');
});
