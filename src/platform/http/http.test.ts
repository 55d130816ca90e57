import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { assertRefusal, type RawOptions, sendRaw } from '#test/callers/raw-http';
import { testConfig, testLog, useHarness } from '#test/harness';
import { buildApp } from '../../app.ts';
import { createMetrics } from '../observe/metrics.ts';
import { createHttpServer } from './http.ts';
import { limits } from './limits.ts';

const harness = useHarness();

const send = (request: string | Uint8Array, options?: RawOptions) => sendRaw(harness.url, request, options);

const countRows = async () =>
  (
    await harness.deps.db.query<{ users: number; changes: number }>(
      `select (select count(*) from users)::integer as users, (select count(*) from audit_log)::integer as changes`,
    )
  )[0]!;

interface Post {
  headers?: string[];
  contentType?: string | null;
  body: string | Uint8Array;
}

/** `POST /operator/users.create` of an operator, with any bytes for a body. */
function postUser({ headers = [], contentType = 'application/json', body }: Post): Uint8Array {
  const bytes = Buffer.from(body as string);
  const head = [
    'POST /operator/users.create HTTP/1.1',
    'Host: causeway.test',
    `Authorization: Bearer ${harness.operatorToken}`,
    ...(contentType === null ? [] : [`Content-Type: ${contentType}`]),
    `Content-Length: ${bytes.length}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}

const validUser = { email: 'someone@example.com', givenName: 'Some', familyName: 'One' };
const withField = (json: string) => `${JSON.stringify(validUser).slice(0, -1)},${json}}`;
const nested = (depth: number) => '['.repeat(depth - 1) + ']'.repeat(depth - 1);

describe('bodies that are refused store nothing', () => {
  let rowsBefore: Awaited<ReturnType<typeof countRows>>;
  before(async () => {
    rowsBefore = await countRows();
  });
  after(async () => {
    assert.deepEqual(await countRows(), rowsBefore);
  });

  const cases: [status: number, error: string, what: string, post: Post][] = [
    [
      413,
      'Request body is too large',
      'one byte over 16 KB',
      { body: Buffer.alloc(limits.bodyBytesMax + 1, 0x20) },
    ],
    [415, 'Content-Type must be application/json', 'text/plain', { contentType: 'text/plain', body: '{}' }],
    [415, 'Content-Type must be application/json', 'no content type', { contentType: null, body: '{}' }],
    [
      415,
      'Content-Type must be application/json',
      'almost JSON',
      { contentType: 'application/jsonx', body: '{}' },
    ],
    [415, 'Content-Type must be application/json', 'broken content type', { contentType: ';;', body: '{}' }],
    [400, 'Body is not valid JSON', 'empty', { body: '' }],
    [400, 'Body is not valid JSON', 'broken JSON', { body: '{"email":' }],
    [400, 'Body is not valid JSON', 'two values', { body: '{} {}' }],
    [
      415,
      'Content-Encoding must be identity',
      'compressed',
      { headers: ['Content-Encoding: gzip'], body: '\x1f\x8b\x08' },
    ],
    [400, 'Body is not valid UTF-8', 'invalid UTF-8', { body: Buffer.from('{"email":"\xff"}', 'latin1') }],
    [400, 'Body is not valid UTF-8', 'UTF-16', { body: Buffer.from('{"email":"é"}', 'utf16le') }],
    [
      400,
      'Body has the same key twice in one object',
      'key twice',
      { body: withField('"givenName":"Other"') },
    ],
    [
      400,
      'Body has the same key twice in one object',
      'key twice, escaped',
      { body: withField('"g\\u0069venName":"x"') },
    ],
    [
      400,
      'Body must not have a key named __proto__',
      '__proto__',
      { body: withField('"__proto__":{"admin":true}') },
    ],
    [
      400,
      'Body must not have a key named __proto__',
      'escaped __proto__',
      { body: withField('"\\u005f_proto__":1') },
    ],
    [
      400,
      'Unknown field: constructor',
      'constructor',
      { body: withField('"constructor":{"prototype":{"a":1}}') },
    ],
    [400, 'Unknown field: prototype', 'prototype', { body: withField('"prototype":{}') }],
    [400, 'Body is nested deeper than 32 levels', 'depth 33', { body: `{"a":${nested(33)}}` }],
    [400, 'Unknown field: a', 'depth 32 is read', { body: withField(`"a":${nested(32)}`) }],
    [
      400,
      'Body must not contain the character U+0000',
      'NUL in a text',
      { body: withField('"legalName":"a\\u0000b"') },
    ],
    [
      400,
      'Body must not contain an unpaired surrogate',
      'surrogate',
      { body: withField('"legalName":"\\ud83d"') },
    ],
    [
      400,
      'givenName must be string',
      'number for a string',
      { body: JSON.stringify({ ...validUser, givenName: 7 }) },
    ],
    [
      400,
      'emailVerified must be boolean',
      'string for a boolean',
      { body: withField('"emailVerified":"true"') },
    ],
    [400, 'Unknown field: isAdmin', 'unknown field', { body: withField('"isAdmin":true') }],
    [400, 'email is required', 'missing field', { body: '{"givenName":"Some","familyName":"One"}' }],
    [400, 'body must be object', 'array', { body: '[]' }],
    [400, 'body must be object', 'text', { body: '"text"' }],
  ];
  for (const [status, error, what, post] of cases) {
    test(`${status} ${error}: ${what}`, async () => {
      assertRefusal(await send(postUser(post)), status, error);
    });
  }

  test('413 Request body is too large: chunked, without a length to go by', async () => {
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const head = new TextDecoder()
      .decode(postUser({ body: '' }))
      .replace('Content-Length: 0', 'Transfer-Encoding: chunked');
    assertRefusal(await send(`${head}${chunk}${chunk}0\r\n\r\n`), 413, 'Request body is too large');
  });

  test('400 names every faulty field, twenty at most', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`extra${at}`, at]));
    const answer = await send(postUser({ body: JSON.stringify({ ...validUser, ...unknown }) }));
    assertRefusal(answer, 400, 'Unknown field: extra0');
    assert.equal(answer.body.details.length, 20);
    assert.deepEqual(answer.body.details[1], { field: 'extra1', message: 'is unknown' });
  });

  test('the same request with a sound body would have been stored', async () => {
    const body = JSON.stringify({ ...validUser, email: 'sound@example.com' });
    const answer = await send(postUser({ body: body.padEnd(limits.bodyBytesMax) }));
    assert.equal(answer.status, 200, answer.text);
    rowsBefore = { users: rowsBefore.users + 1, changes: rowsBefore.changes + 1 };
  });
});

describe('requests that two readers could take for two different ones', () => {
  const auth = () => `Authorization: Bearer ${harness.operatorToken}`;
  const list = (...headers: string[]) =>
    ['POST /operator/users.list HTTP/1.1', ...headers, 'Content-Type: application/json', '', ''].join('\r\n');
  const cases: [status: number, error: string, what: string, request: () => string][] = [
    [
      400,
      'Header host is given more than once',
      'two Host headers',
      () => list('Host: a', 'Host: b', auth()),
    ],
    [
      400,
      'Header host is given more than once',
      'the same Host twice',
      () => list('Host: a', 'host: a', auth()),
    ],
    [400, 'Header host is missing', 'no Host header', () => list(auth())],
    [
      400,
      'Header authorization is given more than once',
      'two tokens',
      () => list('Host: a', auth(), 'authorization: x'),
    ],
    [
      400,
      'Path is not valid UTF-8',
      'broken percent-encoding',
      () => 'GET /operator/%zz HTTP/1.1\r\nHost: a\r\n\r\n',
    ],
    [
      400,
      'Path is not valid UTF-8',
      'percent-encoded non-UTF-8',
      () => 'GET /docs/%ff HTTP/1.1\r\nHost: a\r\n\r\n',
    ],
    [400, 'Request is not valid HTTP', 'garbage', () => 'one\x00two\xff\r\n\r\n'],
    [400, 'Request is not valid HTTP', 'TLS hello', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    [400, 'Request is not valid HTTP', 'HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [400, 'Request is not valid HTTP', 'unknown method', () => 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      400,
      'Request is not valid HTTP',
      'folded header',
      () => 'GET /health HTTP/1.1\r\nHost: a\r\n X: b\r\n\r\n',
    ],
    [
      400,
      'Request is not valid HTTP',
      'space before colon',
      () => 'GET /health HTTP/1.1\r\nHost : a\r\n\r\n',
    ],
    [400, 'Request is not valid HTTP', 'bare line feeds', () => 'GET /health HTTP/1.1\nHost: a\n\n'],
    [
      400,
      'Request is not valid HTTP',
      'two lengths',
      () => `${list('Host: a', auth(), 'Content-Length: 2', 'Content-Length: 3')}{}`,
    ],
    [
      400,
      'Request is not valid HTTP',
      'negative length',
      () => list('Host: a', auth(), 'Content-Length: -1'),
    ],
    [404, 'Not found', 'unknown path', () => 'GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      405,
      'Method not allowed',
      'path of another method',
      () => 'GET /operator/users.list HTTP/1.1\r\nHost: a\r\n\r\n',
    ],
    [405, 'Method not allowed', 'rare method', () => 'MKCALENDAR /health HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      400,
      'Header expect must be 100-continue',
      'unknown expectation',
      () => list('Host: a', auth(), 'Expect: money'),
    ],
    [
      431,
      'Request headers are too large',
      'header over 8 KB',
      () => list('Host: a', `X: ${'x'.repeat(limits.headerBytesMax)}`),
    ],
    [
      431,
      'Request headers are too large',
      'path over 8 KB',
      () => `GET /${'x'.repeat(limits.headerBytesMax)} HTTP/1.1\r\n`,
    ],
  ];
  for (const [status, error, what, request] of cases) {
    test(`${status} ${error}: ${what}`, async () => {
      assertRefusal(await send(Buffer.from(request(), 'latin1')), status, error);
    });
  }

  for (const framing of [
    'Content-Length: 4\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 4',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\nContent-Length: 4',
  ]) {
    test(`400 a request hidden in a body is not answered: ${framing.replace('\r\n', ', ')}`, async () => {
      const hidden = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
      const request = `${list('Host: a', auth(), framing)}0\r\n\r\n${hidden}`;
      const answer = await send(request, { untilClosed: true });
      assertRefusal(answer, 400, 'Request is not valid HTTP');
      assert.equal(answer.text.match(/HTTP\/1\.1 /g)?.length, 1, answer.text);
    });
  }

  test('431 says so in its status line', async () => {
    const answer = await send(`GET /health HTTP/1.1\r\nX: ${'x'.repeat(limits.headerBytesMax)}\r\n\r\n`);
    assert.equal(answer.reason, 'Request Header Fields Too Large');
  });
});

test('a path parameter has 128 characters at most, and a longer one is a 4xx in our form', async () => {
  const server = createHttpServer({ log: testLog(), metrics: createMetrics(), trustedProxies: [] });
  server.get('/things/:id', async () => ({ status: 'found' }));
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const get = (length: number) =>
    sendRaw(url, `GET /things/${'x'.repeat(length)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  try {
    assert.equal((await get(limits.paramLengthMax)).status, 200);
    for (const length of [limits.paramLengthMax + 1, 4_000])
      assertRefusal(await get(length), 400, 'Path is too long');
  } finally {
    await server.close();
  }
});

describe('408 a request that trickles in is cut off', { concurrency: true }, () => {
  const hasty = useHarness({ cutsSlowRequests: true });
  // After 5 s, and a loaded machine is late; what is not cut off has no end.
  const cutWithinMs = 50_000;
  const trickle = { byte: 'x', everyMs: 200 };
  const cases: [what: string, request: () => string, options: RawOptions][] = [
    ['headers that stop', () => 'GET /health HTTP/1.1\r\nHost: a\r\nX: ', {}],
    ['headers that never end', () => 'GET /health HTTP/1.1\r\nHost: a\r\nX: ', { trickle }],
    ['a body that stops', () => new TextDecoder().decode(postUser({ body: '{}' })).slice(0, -1), {}],
    [
      'a body that never ends',
      () =>
        new TextDecoder().decode(postUser({ body: '' })).replace('Content-Length: 0', 'Content-Length: 9999'),
      { trickle },
    ],
  ];
  for (const [what, request, options] of cases) {
    test(what, async () => {
      const bytes = request().replace(harness.operatorToken, hasty.operatorToken);
      const answer = await sendRaw(hasty.url, bytes, { ...options, untilClosed: true });
      assertRefusal(answer, 408, 'Request timeout');
      assert.ok(answer.closedByServer);
      assert.ok(answer.ms < cutWithinMs, `${answer.ms} ms`);
    });
  }

  test('a connection that was opened early is answered when it asks, and gets no 408 before', async () => {
    const { port } = new URL(hasty.url);
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    const closed = once(socket, 'close');
    // Longer than headers and requests may take, and than the server looks for slow ones.
    await setTimeout(limits.requestTimeoutMs + 2 * limits.checkingIntervalMs);
    assert.equal(Buffer.concat(chunks).toString(), '');
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await closed;
    assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 200 OK/);
  });

  test('a stop does not wait for a connection that was opened early', async () => {
    const server = createHttpServer({ log: testLog(), metrics: createMetrics(), trustedProxies: [] });
    const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    const sockets = [connect({ host: '127.0.0.1', port: Number(port) })];
    await setTimeout(limits.headersTimeoutMs + 2 * limits.checkingIntervalMs);
    // This one is younger than headers may be when the stop begins.
    sockets.push(connect({ host: '127.0.0.1', port: Number(port) }));
    await once(sockets[1]!, 'connect');
    const closed = sockets.map((socket) => once(socket.resume(), 'close'));
    const startedAt = performance.now();
    await server.close();
    await Promise.all(closed);
    assert.ok(performance.now() - startedAt < cutWithinMs);
  });
});

describe('methods', () => {
  for (const [method, path, allow] of [
    ['DELETE', '/health', 'GET, HEAD'],
    ['GET', '/operator/users.list', 'POST'],
    ['PUT', '/api/crypto/0198a0de-ffff-7000-8000-000000000000/withdraw', 'POST'],
    ['OPTIONS', '/api/history?resource=account', 'GET, HEAD'],
  ] as const) {
    test(`405 with Allow: ${method} ${path}`, async () => {
      const { status, headers, body } = await harness.request(method, path);
      assert.deepEqual([status, headers.get('allow')], [405, allow]);
      assert.deepEqual([body.error, body.code], ['Method not allowed', 'method_not_allowed']);
    });
  }

  test('405 with Allow as a page: POST /connect/apps', async () => {
    const { status, headers } = await harness.request('POST', '/connect/apps');
    assert.deepEqual([status, headers.get('allow')], [405, 'GET']);
    assert.match(headers.get('content-type')!, /^text\/html/);
  });

  test('404 without Allow: a path that nothing answers', async () => {
    for (const path of ['/nowhere', '/health/', '/api/crypto//withdraw', '/operator/users.list/more']) {
      const { status, headers } = await harness.request('DELETE', path);
      assert.deepEqual([status, headers.get('allow')], [404, null], path);
    }
  });
});

describe('bodies in other encodings', () => {
  const post = (headers: Record<string, string>) =>
    harness.request('POST', '/operator/users.list', { token: harness.operatorToken, body: {}, headers });
  for (const [error, headers] of [
    ['Content-Encoding must be identity', { 'content-encoding': 'gzip' }],
    ['Content-Encoding must be identity', { 'content-encoding': 'identity, br' }],
    ['The charset of Content-Type must be UTF-8', { 'content-type': 'application/json; charset=latin1' }],
    ['The charset of Content-Type must be UTF-8', { 'content-type': 'application/json;charset="utf-16"' }],
  ] as const) {
    test(`415 ${error}: ${JSON.stringify(headers)}`, async () => {
      const { status, body } = await post(headers);
      assert.deepEqual([status, body.error], [415, error]);
    });
  }
  const read: Record<string, string>[] = [
    { 'content-encoding': 'identity' },
    { 'content-type': 'application/json; charset=UTF-8' },
    { 'content-type': 'application/json; charset="utf8"' },
  ];
  for (const headers of read) {
    test(`200 ${JSON.stringify(headers)}`, async () => {
      assert.equal((await post(headers)).status, 200);
    });
  }
});

describe('health checks', () => {
  test('200 by HTTP/1.0, which has no Host', async () => {
    const { status, body } = await sendRaw(harness.url, 'GET /health HTTP/1.0\r\n\r\n', {
      untilClosed: true,
    });
    assert.deepEqual([status, body], [200, { status: 'ok' }]);
  });
});

describe('Strict-Transport-Security', () => {
  test('is sent if the public address is https, and only then', async () => {
    assert.equal((await harness.request('GET', '/health')).headers.get('strict-transport-security'), null);
    const { server } = await startSecure();
    try {
      const { headers } = await server.inject({ url: '/health' });
      assert.equal(headers['strict-transport-security'], 'max-age=31536000');
    } finally {
      await server.close();
    }
  });

  test('is sent with refusals from before the first hook', async () => {
    const { server } = await startSecure();
    try {
      const { headers, statusCode } = await server.inject({ url: '/health/%zz' });
      assert.deepEqual([statusCode, headers['strict-transport-security']], [400, 'max-age=31536000']);
      const url = await server.listen({ port: 0 });
      const raw = await sendRaw(url, 'not HTTP\r\n\r\n', { untilClosed: true });
      assert.equal(raw.status, 400);
      assert.equal(raw.headers.get('strict-transport-security'), 'max-age=31536000');
    } finally {
      await server.close();
    }
  });

  async function startSecure() {
    const deps = { ...harness.deps, publicUrl: 'https://connect.example.com', metrics: createMetrics() };
    return { server: await buildApp(deps, { ...testConfig(harness.databaseUrl), servesApi: false }) };
  }
});
