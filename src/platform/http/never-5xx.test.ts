import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { TObject } from 'typebox';
import { assertRefusal, type RawOptions, sendRaw } from '#test/callers/raw-http';
import { makeKey, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { startTestIssuer } from '#test/outside/issuer';
import { sized } from '#test/sizes';
import { commands } from '../../app.ts';

const cardIssuer = await startTestIssuer();
after(() => cardIssuer.stop());
const harness = useHarness({ issuer: cardIssuer.issuer });
const send = (request: string | Uint8Array, options?: RawOptions) => sendRaw(harness.url, request, options);

describe('whatever is sent, the answer is never a 5xx', () => {
  const nastyTexts = [
    '',
    ' ',
    '0',
    '-1',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u202e',
    'é'.normalize('NFD'),
    "'; drop table users --",
    '%',
    '2030-12-31T23:59:60Z',
    '2030-01-01T00:00:00+01',
    '2030-01-01 00:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '1.2.3.4/33',
    '::/0',
    '0.0.0.0/0',
    '::ffff:1.2.3.4/128',
    'fe80::1%lo',
    '1.2.3.4/00',
    'a@b',
    'A@B',
    'a@b@c',
    '@',
    'a\u0000@b',
    `${'a'.repeat(252)}@b`,
    'x'.repeat(500),
    '0xABCdefABCdefABCdefABCdefABCdefABCdefABCd',
    `0x${'a'.repeat(40)}`,
    'a'.repeat(16),
    'polygon',
    ...['-'.repeat(36), '9'.repeat(18), 'a'.repeat(16), '00000000-0000-0000-0000-000000000000'].flatMap(
      (key) => [key, Buffer.from(key).toString('base64url')],
    ),
  ];
  let knownIds: string[] = [];
  before(async () => {
    const key = await makeKey(harness);
    const { id } = await makeUser(harness);
    knownIds = [key.id, key.partnerId, key.userId, id, id.toUpperCase()];
  });

  const nastyValues = [...nastyTexts, null, true, 0, -1, 0.5, 1e308, 2 ** 31, 2 ** 53, {}, [], [[]], ['']];

  /** A value for a field that its command takes, so that the faulty field beside it is what decides. */
  const plausible = (field: string): unknown => {
    const [keyId, partnerId, userId] = knownIds;
    const values: Record<string, unknown> = {
      keyId,
      partnerId,
      userId,
      email: `${randomUUID()}@example.com`,
    };
    return { ...values, network: 'polygon', address: `0x${'a'.repeat(40)}` }[field] ?? 'text';
  };

  const isArray = (input: TObject, field: string) =>
    (input.properties[field] as { type?: string } | undefined)?.type === 'array';

  /** A refusal in the words of a schema, such as `must NOT have fewer than 1 characters` or a pattern. */
  const isRaw = (body: string) => {
    const { error = '', details = [] } = JSON.parse(body) as {
      error?: string;
      details?: { message: string }[];
    };
    const messages = [error, ...details.map(({ message }) => message)].join('\n');
    return /must NOT|must match|\^\[|\^\(|\\u|\(\?[:!=<]/.test(messages);
  };

  test('every nasty value in every field of every operator command: no 5xx, no words of schemas', async () => {
    // Seven has no factor in common with the number of values, so each of them comes to some field all the
    // same.
    const every = sized(7, 1);
    const calls = commands
      .flatMap(({ name, input }) => {
        const required = (input as { required?: string[] }).required ?? [];
        const base = () => Object.fromEntries(required.map((field) => [field, plausible(field)]));
        return Object.keys(input.properties).flatMap((field) =>
          nastyValues.map((value) => ({ name, field, value: isArray(input, field) ? [value] : value, base })),
        );
      })
      .filter((_, at) => at % every === 0);
    const failures: unknown[] = [];
    const statuses = new Set<number>();
    let busy = 0;
    const work = async () => {
      for (let call = calls.pop(); call; call = calls.pop()) {
        const { name, field, value, base } = call;
        const { statusCode, body } = await harness.server.inject({
          method: 'POST',
          url: `/operator/${name}`,
          payload: { ...base(), [field]: value },
          headers: { authorization: `Bearer ${harness.operatorToken}`, host: 'causeway.test' },
        });
        // No network has a node here, and a command that needs one says so.
        if (statusCode === 503 && JSON.parse(body).code === 'nodes_away') continue;
        // A loaded machine may say that it is busy; then the same is asked again.
        if (statusCode === 503 && ++busy < 100) {
          calls.push(call);
          continue;
        }
        statuses.add(statusCode);
        // What is not refused may be a file.
        const hasFault = statusCode >= 500 || (statusCode >= 400 && isRaw(body));
        if (hasFault) failures.push({ name, field, value, statusCode, body });
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    assert.deepEqual(failures, []);
    assert.ok(statuses.has(200) && statuses.has(400), 'some values are taken and some are refused');
  });

  const knownPaths = [
    '/',
    '*',
    '/health',
    '/ready',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/docs/',
    '/docs/static/..%2f',
  ];
  const headerText = fc.string({
    unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
  });
  const anyRequest = fc.record({
    method: fc.constantFrom(...METHODS, 'get', 'BREW', ''),
    path: fc.oneof(
      fc.constantFrom(...knownPaths, 'http://other.test/health', '/api/history', '//', '/operator/../health'),
      fc.webPath(),
      fc
        .tuple(fc.constantFrom('/api/history', '/docs/static/', '/operator/users.list'), headerText)
        .map((parts) => parts.join('')),
      fc
        .tuple(fc.constantFrom('/api/history', '/health'), fc.webQueryParameters())
        .map((parts) => parts.join('?')),
    ),
    headers: fc.array(
      fc.oneof(
        fc
          .tuple(
            fc.constantFrom('Content-Type', 'Accept', 'X-Forwarded-For', 'Range', 'If-None-Match', 'Cookie'),
            headerText,
          )
          .map(([name, value]) => `${name}: ${value}`),
        fc.constantFrom(
          'Expect: 100-continue',
          'Expect: x',
          'Connection: upgrade',
          'Upgrade: websocket',
          'Range: bytes=9-1',
          'Content-Type: application/json',
          'Content-Type: text/plain',
          'Transfer-Encoding: gzip',
          'Host: b',
          'Accept-Encoding: gzip;q=x',
          'If-Modified-Since: never',
          'Access-Control-Request-Method: POST',
        ),
      ),
      { maxLength: 4 },
    ),
    body: fc.oneof(
      fc.constant(Buffer.alloc(0)),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
    ),
  });

  test('random requests', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async ({ method, path, headers, body }) => {
        const head = [
          `${method} ${path} HTTP/1.1`,
          'Host: causeway.test',
          'Connection: close',
          `Authorization: Bearer ${harness.operatorToken}`,
          `Content-Length: ${body.length}`,
          ...headers,
        ];
        const request = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
        const answer = await send(request, { untilClosed: true });
        assert.ok(answer.status < 500, answer.text);
        // A CONNECT is closed without an answer, and an answer to HEAD has no body.
        if (answer.status === 0) assert.equal(method, 'CONNECT');
        if (answer.status >= 400 && method !== 'HEAD') assertRefusal(answer, answer.status);
      }),
      { numRuns: sized(150, 500) },
    );
  });
});
