import assert from 'node:assert/strict';
import { connect } from 'node:net';

/** The raw answer on a socket, byte for byte, because `fetch` would correct or hide it. */
export interface RawAnswer {
  /** 0 if the socket was closed without an answer. */
  status: number;
  reason: string;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sent; tests assert its shape.
  body: any;
  /** Everything received, also what came after the first answer. */
  text: string;
  closedByServer: boolean;
  ms: number;
}

export interface RawOptions {
  /** Keep sending this after the request, until the socket closes. */
  trickle?: { byte: string; everyMs: number };
  /** Read until the server closes the socket, not only until the first answer is whole. */
  untilClosed?: boolean;
  timeoutMs?: number;
}

/** Writes bytes to the server of `url` as they are and reads its answer. */
export function sendRaw(
  url: string,
  request: string | Uint8Array,
  options: RawOptions = {},
): Promise<RawAnswer> {
  const { trickle, untilClosed = false, timeoutMs = 60_000 } = options;
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const trickling = trickle && setInterval(() => socket.write(trickle.byte), trickle.everyMs);
    const finish = (closedByServer: boolean) => {
      clearInterval(trickling);
      clearTimeout(deadline);
      socket.destroy();
      resolve({ ...parseAnswer(Buffer.concat(chunks)), closedByServer, ms: performance.now() - startedAt });
    };
    const deadline = setTimeout(() => {
      clearInterval(trickling);
      socket.destroy();
      reject(new Error(`no end of the answer within ${timeoutMs} ms: ${Buffer.concat(chunks)}`));
    }, timeoutMs);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (!untilClosed && isWhole(Buffer.concat(chunks))) finish(false);
    });
    // A trickling client ignores the server's end, as an attacker would, until the socket itself is gone.
    socket.on('end', () => {
      if (!trickle) finish(true);
    });
    // A reset is the other way of closing; what arrived before it counts.
    socket.on('error', () => {});
    socket.on('close', () => finish(true));
    socket.write(request);
  });
}

function isWhole(received: Buffer): boolean {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return false;
  const length = /^content-length: (\d+)/im.exec(received.subarray(0, headEnd).toString())?.[1];
  return length !== undefined && received.length >= headEnd + 4 + Number(length);
}

function parseAnswer(received: Buffer) {
  const text = received.toString();
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...headerLines] = head.split('\r\n');
  const [, status = '0', reason = ''] = /^HTTP\/1\.1 (\d{3}) (.*)$/.exec(statusLine) ?? [];
  const headers = new Headers(
    headerLines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]),
  );
  const length = Number(headers.get('content-length') ?? 0);
  const content = Buffer.from(rest.join('\r\n\r\n')).subarray(0, length).toString();
  const isJson = content !== '' && headers.get('content-type')?.includes('json');
  return { status: Number(status), reason, headers, body: isJson ? JSON.parse(content) : content, text };
}

/** Every refusal, wherever it is made, has our body, and its request id is the header's too. */
export function assertRefusal(answer: RawAnswer, status: number, error?: string | RegExp): void {
  assert.equal(answer.status, status, answer.text);
  const { details = [], ...body } = answer.body;
  assert.deepEqual(Object.keys(body), ['error', 'code', 'requestId']);
  assert.match(body.code, /^[a-z_]+$/);
  assert.match(body.requestId, /^[0-9a-f-]{36}$/);
  assert.equal(answer.headers.get('x-request-id'), body.requestId);
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  for (const detail of details) assert.deepEqual(Object.keys(detail), ['field', 'message']);
  if (typeof error === 'string') assert.equal(body.error, error);
  else if (error) assert.match(body.error, error);
}
