import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { startNameServer } from '#test/outside/name-server';
import { waitUntil } from '#test/wait-until';
import { createOutgoing, OutgoingFault, type OutgoingPost } from './index.ts';
import { nameResolver } from './resolve-name.ts';

const names = await startNameServer();
const policy = { allowsLoopbackHttp: true, ports: [443], allowedBlocks: [] };
const guard = () => createOutgoing(policy, nameResolver([names.address]));
const message: OutgoingPost = {
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
  timeoutMs: 60_000,
  answerBytesMax: 4_096,
};

async function listen(t: TestContext, server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?tenant=7`;
}

const receive = (t: TestContext, answer: RequestListener) => listen(t, createServer(answer));

/** A peer that answers each first bytes of a connection with these, whatever they are. */
const speak = (t: TestContext, answer: (socket: Socket) => void) =>
  listen(
    t,
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    }),
  );

const faultWith =
  (reason: string, code = '') =>
  (error: unknown) => {
    assert.ok(error instanceof OutgoingFault, String(error));
    assert.equal(error.reason, reason);
    assert.ok(error.message.includes(code), error.message);
    assert.doesNotMatch(error.message, /127\.0\.0\.1/, 'no address in the message');
    return true;
  };

test('200: method, path, headers and body arrive, and the whole answer returns', async (t) => {
  const url = await receive(t, async (request, response) => {
    const body = await text(request);
    const { host, 'content-length': length, 'content-type': type } = request.headers;
    const seen = [request.method, request.url, host, length, type, body];
    response.writeHead(200, { 'x-seen': 'yes' }).end(JSON.stringify(seen));
  });
  const answer = await guard().post(url, message);
  assert.deepEqual([answer.status, answer.isCut, answer.headers['x-seen']], [200, false, 'yes']);
  const { host } = new URL(url);
  const seen = ['POST', '/in?tenant=7', host, '7', 'application/json', '{"a":1}'];
  assert.deepEqual(JSON.parse(String(answer.body)), seen);
});

test('200: a Buffer arrives byte for byte, and localhost reaches this machine', async (t) => {
  const url = await receive(t, (request, response) => void request.pipe(response));
  const body = Buffer.from([0, 255, 128, 10]);
  const answer = await guard().post(url.replace('127.0.0.1', 'localhost'), { ...message, body });
  assert.deepEqual(answer.body, body);
});

for (const [size, isCut] of [
  [4_096, false],
  [4_097, true],
  [50_000_000, true],
] as const) {
  test(`an answer of ${size} bytes is ${isCut ? 'cut, and its connection dropped' : 'kept whole'}`, async (t) => {
    let closed = 0;
    const url = await receive(t, (request, response) => {
      request.socket.on('close', () => closed++);
      response.on('error', () => undefined).end(Buffer.alloc(size, 'x'));
    });
    const answer = await guard().post(url, message);
    assert.deepEqual([answer.status, answer.body.length, answer.isCut], [200, 4_096, isCut]);
    if (isCut) await waitUntil('the connection is dropped', () => closed === 1);
    else assert.equal(closed, 0);
  });
}

for (const [what, answer] of [
  ['says nothing', () => undefined],
  [
    'sends one byte at a time',
    (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
      const trickle = setInterval(() => socket.write('x'), 50);
      socket.on('close', () => clearInterval(trickle));
    },
  ],
  [
    'sends informational answers only',
    (socket: Socket) => {
      const trickle = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 50);
      socket.on('close', () => clearInterval(trickle));
    },
  ],
] as const) {
  test(`timeout: a peer that ${what} does not hold the caller, and its connection is dropped`, async (t) => {
    let closed = 0;
    const url = await speak(t, (socket) => {
      socket.on('close', () => closed++);
      answer(socket);
    });
    await assert.rejects(guard().post(url, { ...message, timeoutMs: 400 }), faultWith('timeout', '400 ms'));
    await waitUntil('the connection is dropped', () => closed === 1);
  });
}

test('timeout: a name server that does not answer', async () => {
  const silent = createOutgoing(policy, () => new Promise(() => undefined));
  const call = silent.post('https://hooks.example.com/', { ...message, timeoutMs: 200 });
  await assert.rejects(call, faultWith('timeout'));
});

test('200: an answer after a silence longer than idle connections are kept', async (t) => {
  const url = await receive(t, (_request, response) => void setTimeout(() => response.end('late'), 5_000));
  assert.equal(String((await guard().post(url, message)).body), 'late');
});

test('dns: a name that does not exist, and one without addresses', async () => {
  for (const [answer, code] of [
    [undefined, 'ENOTFOUND'],
    [[], 'ENODATA'],
  ] as const) {
    names.answer = () => answer;
    await assert.rejects(guard().post('https://hooks.example.com/', message), faultWith('dns', code));
  }
});

test('connection: nobody listens', async (t) => {
  const server = createTcpServer();
  const url = await listen(t, server);
  server.close();
  await assert.rejects(guard().post(url, message), faultWith('connection', 'ECONNREFUSED'));
});

for (const [what, sent] of [
  ['closes without an answer', ''],
  ['closes in the middle of its headers', 'HTTP/1.1 200 OK\r\ncontent-'],
  ['closes in the middle of its answer', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
  ['closes in the middle of a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nhalf'],
] as const) {
  test(`connection: a peer that ${what}`, async (t) => {
    const url = await speak(t, (socket) => socket.end(sent));
    await assert.rejects(guard().post(url, message), faultWith('connection'));
  });
}

for (const [what, sent, code] of [
  ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', 'HPE_'],
  ['17 kB of headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(17_000)}\r\n\r\n`, 'HPE_HEADER_OVERFLOW'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx', 'HPE_'],
  ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', '101'],
] as const) {
  test(`protocol: a peer that answers ${what}`, async (t) => {
    const url = await speak(t, (socket) => socket.write(sent));
    await assert.rejects(guard().post(url, message), faultWith('protocol', code));
  });
}

test('an aborted call ends with the reason of its signal, before and while it runs', async (t) => {
  const stop = new AbortController();
  const url = await speak(t, () => stop.abort(new Error('stopping')));
  await assert.rejects(guard().post(url, { ...message, signal: stop.signal }), { message: 'stopping' });
  await assert.rejects(guard().post(url, { ...message, signal: stop.signal }), { message: 'stopping' });
});

test('connections are kept: a hundred requests in a row use one, and three hundred at once at most 256', async (t) => {
  let connections = 0;
  const server = createServer((_request, response) => response.end('ok'));
  server.on('connection', () => connections++);
  const url = await listen(t, server);
  const outgoing = guard();
  for (let at = 0; at < 100; at++) await outgoing.post(url, message);
  assert.equal(connections, 1);
  await Promise.all(Array.from({ length: 300 }, () => outgoing.post(url, message)));
  assert.ok(connections > 1 && connections <= 256, `${connections} connections`);
});

/** A peer that answers the first request of a connection and resets it when the second arrives. */
const resetReused = (t: TestContext, seen: string[]) =>
  listen(
    t,
    createTcpServer((socket) => {
      let requests = 0;
      socket
        .on('error', () => undefined)
        .on('data', () => {
          requests++;
          seen.push(requests === 1 ? 'answered' : 'reset');
          if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
          else socket.resetAndDestroy();
        });
    }),
  );

test('200: a kept connection that the peer resets is replaced, and the request sent once more', async (t) => {
  const seen: string[] = [];
  const url = await resetReused(t, seen);
  const outgoing = guard();
  for (let at = 0; at < 3; at++) assert.equal((await outgoing.post(url, message)).status, 200);
  assert.deepEqual(seen, ['answered', 'reset', 'answered', 'answered']);
});

test('connection: a new connection that the peer resets is not tried again', async (t) => {
  let requests = 0;
  const url = await speak(t, (socket) => {
    requests++;
    socket.resetAndDestroy();
  });
  await assert.rejects(guard().post(url, message), faultWith('connection', 'ECONNRESET'));
  assert.equal(requests, 1);
});

test('200: idle connections that the peer has closed are not used again', async (t) => {
  const server = createServer((_request, response) => response.end('ok'));
  const url = await listen(t, server);
  const outgoing = guard();
  for (let at = 0; at < 20; at++) {
    assert.equal((await outgoing.post(url, message)).status, 200);
    server.closeAllConnections();
  }
});

test('a header that cannot be sent is an error of the caller', async (t) => {
  const url = await receive(t, (_request, response) => response.end());
  await assert.rejects(guard().post(url, { ...message, headers: { x: 'a\r\nb: c' } }), TypeError);
});
