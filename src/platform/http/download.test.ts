import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, testLog } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { createMetrics } from '../observe/metrics.ts';
import { createDownloads, type Download } from './download.ts';
import { createHttpServer, type HttpServer } from './http.ts';

/** What each test sends; every test sets it. */
let open: () => Promise<Download>;
let server: HttpServer;
let url: string;
/** A loaded machine is slow too; where one is to be cut off, the limits are brief. */
const limits = { atOnceMax: 3, ofCallerMax: 2, stallMs: 3_000, durationMaxMs: 120_000 };
const briefLimits = { ...limits, stallMs: 700, durationMaxMs: 4_000 };

before(async () => {
  server = createHttpServer({ log: testLog(), metrics: createMetrics(), trustedProxies: [] });
  for (const [path, send] of [
    ['file', createDownloads(limits)],
    ['brief', createDownloads(briefLimits)],
  ] as const) {
    server.get(`/${path}/:caller`, async (request, reply) =>
      send(request, reply, (request.params as { caller: string }).caller, () => open()),
    );
  }
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
after(() => server.close());

const fileOf = (chunks: AsyncIterable<string>): Download => ({
  contentType: 'text/plain; charset=utf-8',
  filename: 'a-1.txt',
  chunks,
});

/** A source that counts what is asked of it and notes its end. */
function makeSource(chunk: string, options: { count?: number; failAt?: number; everyMs?: number } = {}) {
  const { count = Number.POSITIVE_INFINITY, failAt, everyMs } = options;
  const source = { given: 0, isClosed: false };
  async function* chunks() {
    try {
      for (; source.given < count; source.given++) {
        if (source.given === failAt) throw new Error('the source broke');
        if (everyMs) await sleep(everyMs);
        yield chunk;
      }
    } finally {
      source.isClosed = true;
    }
  }
  return Object.assign(source, { chunks: chunks() });
}

/** A reader that sends a request and reads nothing until the test says so. */
async function connectOnly(path: string, version = '1.1'): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.pause();
  socket.on('error', () => {});
  socket.write(`GET /${path} HTTP/${version}\r\nHost: x\r\n\r\n`);
  return socket;
}

test('200: the chunks in order, with the name and type of the file, kept by nobody', async () => {
  open = async () => fileOf(makeSource('žluť ', { count: 1_000 }).chunks);
  const { status, headers, body } = await ask(`${url}/file/a`, {});
  assert.equal(status, 200);
  assert.equal(body, 'žluť '.repeat(1_000));
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(headers.get('content-disposition'), 'attachment; filename="a-1.txt"');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
});

test('200: an empty file is one', async () => {
  open = async () => fileOf(makeSource('', { count: 0 }).chunks);
  assert.deepEqual(await ask(`${url}/file/a`, {}).then(({ status, body }) => [status, body]), [200, '']);
});

test('500: what fails before the first byte is an error like any other, also at the first chunk', async () => {
  for (const fault of [
    async () => {
      throw new Error('no such thing');
    },
    async () => fileOf(makeSource('x', { failAt: 0 }).chunks),
  ]) {
    open = fault;
    const { status, headers, body } = await ask(`${url}/file/a`, {});
    assert.equal(status, 500);
    assert.equal(body.error, 'Internal error');
    assert.equal(headers.get('content-disposition'), null);
  }
});

test('a failure in the middle breaks the connection', async () => {
  const source = makeSource('x'.repeat(10_000), { failAt: 50 });
  open = async () => fileOf(source.chunks);
  const response = await fetch(`${url}/file/a`);
  assert.equal(response.status, 200);
  await assert.rejects(response.text());
  assert.ok(source.isClosed);
});

test('a failure in the middle is an error to a reader by HTTP/1.0 too, who knows no other end than that of the connection', async () => {
  open = async () => fileOf(makeSource('x'.repeat(10_000), { failAt: 50 }).chunks);
  const socket = await connectOnly('file/a', '1.0');
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  const [error] = await once(socket.resume(), 'error');
  assert.equal(error.code, 'ECONNRESET');
  assert.ok(bytes > 0);
});

test('a reader that does not read is waited for, then cut off, and the source reads no further', async () => {
  const source = makeSource('x'.repeat(100_000));
  open = async () => fileOf(source.chunks);
  const socket = await connectOnly('brief/a');
  await waitUntil('the source waits', async () => {
    const before = source.given;
    await sleep(200);
    return source.given > 0 && source.given === before;
  });
  assert.ok(source.given < 1_000, `${source.given} chunks`);
  await waitUntil('the source is closed', () => source.isClosed);
  socket.destroy();
});

test('a slow reader is not cut off', async () => {
  const source = makeSource('x'.repeat(100_000), { count: 120 });
  open = async () => fileOf(source.chunks);
  const response = await fetch(`${url}/file/a`);
  const reader = response.body!.getReader();
  let bytes = 0;
  for (let pausedAt = 0; ; ) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes += value.length;
    // More than the buffers between us tell the server of at once.
    if (bytes - pausedAt < 2_000_000) continue;
    pausedAt = bytes;
    await sleep(limits.stallMs / 2);
  }
  assert.equal(bytes, 12_000_000);
});

test('a reader who goes away ends the source at once', async () => {
  const source = makeSource('x'.repeat(1_000), { everyMs: 5 });
  open = async () => fileOf(source.chunks);
  const leaving = new AbortController();
  const response = await fetch(`${url}/file/a`, { signal: leaving.signal });
  await response.body!.getReader().read();
  leaving.abort();
  const before = source.given;
  await waitUntil('the source is closed', () => source.isClosed);
  // Until the limit for a stalled reader it would give 140.
  assert.ok(source.given - before < 70, `${source.given - before} chunks after the reader was gone`);
});

test('a reader who goes away before the first byte ends the source too, and leaves its place', async () => {
  for (let times = 0; times < limits.ofCallerMax + 1; times++) {
    const source = makeSource('x');
    open = async () => {
      await sleep(200);
      return fileOf(source.chunks);
    };
    await assert.rejects(fetch(`${url}/file/early`, { signal: AbortSignal.timeout(50) }));
    await waitUntil('the source is closed', () => source.isClosed);
  }
});

test('a file that takes longer than any may is cut off', async () => {
  const source = makeSource('x', { everyMs: 50 });
  open = async () => fileOf(source.chunks);
  const response = await fetch(`${url}/brief/a`);
  await assert.rejects(response.text());
  assert.ok(source.isClosed);
});

test('503 with Retry-After: more at once than a caller may have, or than there are places; then again 200', async () => {
  const sources = [1, 2, 3].map(() => makeSource('x', { everyMs: 10 }));
  const leaving = new AbortController();
  const start = async (caller: string, at: number) => {
    open = async () => fileOf(sources[at]!.chunks);
    const response = await fetch(`${url}/file/${caller}`, { signal: leaving.signal });
    assert.equal(response.status, 200);
    void response.text().catch(() => {});
  };
  await start('a', 0);
  await start('a', 1);
  const mine = await ask(`${url}/file/a`, {});
  await start('b', 2);
  const theirs = await ask(`${url}/file/c`, {});
  for (const { status, headers, body } of [mine, theirs]) {
    assert.deepEqual([status, body.error, headers.get('retry-after')], [503, 'Too many files at once', '5']);
  }
  leaving.abort();
  await waitUntil('all have ended', () => sources.every(({ isClosed }) => isClosed));
  open = async () => fileOf(makeSource('x', { count: 3 }).chunks);
  assert.equal((await ask(`${url}/file/a`, {})).status, 200);
});
