import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { createHttpServer } from '#platform/http/http';
import { createMetrics } from '#platform/observe/metrics';
import { runKeyBattery } from '#test/callers/battery';
import { readCsv, readCsvCells } from '#test/callers/read-csv';
import { readPdfRows } from '#test/callers/read-pdf';
import { signInStaff } from '#test/callers/staff-session';
import { makeFunds, makeKey, makeLines, makeUser } from '#test/data/factories';
import { testLog, useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { historyRoutes } from './index.ts';
import { statementReference } from './reference.ts';
import type { StatementMaker } from './routes.ts';

const harness = useHarness();
const get = (query: string, token: string) =>
  harness.request('GET', `/api/history/statement${query}`, { token });

runKeyBattery(harness, {
  title: 'GET /api/history/statement',
  call: (options) => harness.request('GET', '/api/history/statement', options),
  refusals: {
    missing: { status: 401, error: 'Unauthorized: API key is required' },
    invalid: { status: 401, error: 'Unauthorized: Invalid API key' },
    address: { status: 403, error: 'Forbidden: caller address is not on the allowlist of the key' },
  },
});

for (const [query, error] of [
  ['?feature=nothing', 'Invalid feature'],
  ['?feature=', 'Invalid feature'],
  ['?feature=cards-transactions', 'Invalid feature'],
  ['?feature=constructor', 'Invalid feature'],
  ['?feature=account-unsettled', 'feature account-unsettled has no statement'],
  ['?format=docx', 'format must be one of csv, pdf, xlsx, camt053, ofx'],
  ['?format=', 'format must be one of csv, pdf, xlsx, camt053, ofx'],
  ['?format=CSV', 'format must be one of csv, pdf, xlsx, camt053, ofx'],
  ['?lang=de', 'lang must be one of en, pt'],
  ['?order=random', 'order must be one of newest, oldest'],
  ['?bom=1', 'bom must be one of true, false'],
  ['?format=ofx&feature=account-swap', 'format ofx needs every line, so feature must be account'],
  ['?format=csv&format=pdf', 'Query parameter "format" is given more than once'],
  [
    '?startDate=yesterday',
    'startDate must be a year, month, day or instant of ISO 8601, such as 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z',
  ],
  [
    '?startDate=2026-02-30',
    'startDate must be a year, month, day or instant of ISO 8601, such as 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z',
  ],
  [
    '?endDate=2026-01-01T25:00:00Z',
    'endDate must be a year, month, day or instant of ISO 8601, such as 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z',
  ],
  ['?startDate=2026-02-01&endDate=2026-01-01', 'startDate must not be after endDate'],
  ['?resource=account', 'Unknown field: resource'],
  ['?pageSize=10', 'Unknown field: pageSize'],
  ['?userId=1', 'Unknown field: userId'],
  ['?startDate=%ff', 'Query string is not valid UTF-8'],
] as const) {
  test(`400 ${error}: ${query}`, async () => {
    const { token } = await makeKey(harness);
    const { status, headers, body } = await get(query, token);
    assert.deepEqual([status, body.error], [400, error]);
    assert.match(body.code, /^[a-z_]+$/);
    assert.equal(body.requestId, headers.get('x-request-id'));
    assert.equal(headers.get('content-disposition'), null);
  });
}

test('405: HEAD, which would make all of the file for nothing', async () => {
  const { token } = await makeKey(harness);
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await fetch(`${harness.url}/api/history/statement`, { method: 'HEAD', headers });
  assert.equal(status, 405);
});

test('429 Rate limit exceeded: pages and statements share one allowance of the user', async () => {
  const { token } = await makeKey(harness);
  const first = await get('', token);
  assert.equal(first.headers.get('ratelimit-policy'), '"history";q=2;w=2');
  assert.equal(first.headers.get('ratelimit'), '"history";r=1;t=2');
  await harness.request('GET', '/api/history?resource=account&feature=account', { token });
  const third = await get('?format=pdf', token);
  assert.deepEqual([third.status, third.body.error], [429, 'Rate limit exceeded']);
  assert.match(third.headers.get('retry-after')!, /^[12]$/);
});

for (const [query, filename, type] of [
  ['', 'statement-until-TODAY.csv', 'text/csv; charset=utf-8; header=present'],
  ['?format=pdf', 'statement-until-TODAY.pdf', 'application/pdf'],
  ['?startDate=2026-01-01&endDate=2026-01-31', 'statement-2026-01-01-2026-01-31.csv', /^text\/csv/],
  ['?startDate=2028-02&endDate=2028-02', 'statement-2028-02-01-2028-02-29.csv', /^text\/csv/],
  ['?startDate=0000&endDate=2025', 'statement-0000-01-01-2025-12-31.csv', /^text\/csv/],
  ['?startDate=2026-01-01T23:00:00-05:00', 'statement-2026-01-02-TODAY.csv', /^text\/csv/],
  ['?endDate=2026-01-31&format=pdf', 'statement-until-2026-01-31.pdf', 'application/pdf'],
  ['?format=xlsx&lang=pt', 'statement-until-TODAY.xlsx', /spreadsheetml\.sheet$/],
  ['?format=camt053', 'statement-until-TODAY.camt053.xml', 'application/xml'],
  ['?format=ofx&order=newest', 'statement-until-TODAY.ofx', 'application/x-ofx'],
  ['?bom=true&order=oldest', 'statement-until-TODAY.csv', /^text\/csv/],
  ['?feature=account-crypto', 'account-crypto-statement-until-TODAY.csv', /^text\/csv/],
] as const) {
  test(`200 ${filename}: ${query}`, async () => {
    const { token } = await makeKey(harness);
    const { status, headers } = await get(query, token);
    assert.equal(status, 200);
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename="${filename.replace('TODAY', new Date().toISOString().slice(0, 10))}"`,
    );
    const contentType = headers.get('content-type')!;
    assert.ok(typeof type === 'string' ? contentType === type : type.test(contentType), contentType);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.ok(headers.get('x-request-id'));
  });
}

test('the CSV in the reference has the columns of a statement', async () => {
  const { token } = await makeKey(harness);
  const { files } = statementReference.answers[200]!;
  const [head, ...rows] = readCsvCells(files!['text/csv']!);
  assert.deepEqual([head], readCsvCells((await get('', token)).body));
  assert.deepEqual(
    rows.map(({ length }) => length),
    [head!.length],
  );
});

test('200: the lines of the key’s owner and of nobody else, the same in both formats', async () => {
  const [owner, stranger] = [await makeKey(harness), await makeKey(harness)];
  await makeFunds(harness, owner.userId, 'polygon', 'USDT', '12.5');
  await makeFunds(harness, owner.userId, 'base', 'EURC', '0.000001');
  await makeFunds(harness, stranger.userId, 'polygon', 'USDT', '99');
  const csv = readCsv((await get('', owner.token)).body);
  assert.deepEqual(
    csv.map(({ network, asset, amount, runningBalance }) => [network, asset, amount, runningBalance]),
    [
      ['base', 'EURC', '0.000001', '0.000001'],
      ['polygon', 'USDT', '12.5', '12.5'],
    ],
  );
  const response = await fetch(`${harness.url}/api/history/statement?format=pdf`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  const pdf = await readPdfRows(new Uint8Array(await response.arrayBuffer()));
  const compared = ['transactionType', 'asset', 'network', 'amount', 'runningBalance'];
  const pick = (row: object) => compared.map((name) => row[name as keyof typeof row]);
  assert.deepEqual(pdf.map(pick), csv.map(pick));
});

/** The real route and guards, and a statement of the test's own. */
async function askFor(make: StatementMaker, receive: (response: Response) => Promise<void>): Promise<void> {
  const server = createHttpServer({ log: testLog(), metrics: createMetrics(), trustedProxies: [] });
  historyRoutes(server, harness.deps, [], { makeStatement: make, requireUser: async () => {} });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const { token } = await makeKey(harness);
  const leaving = new AbortController();
  try {
    const headers = { authorization: `Bearer ${token}` };
    await receive(await fetch(`${url}/api/history/statement`, { headers, signal: leaving.signal }));
  } finally {
    leaving.abort();
    await server.close();
  }
}

const fileOf = (chunks: AsyncIterable<string>) => ({ contentType: 'text/csv', filename: 'a.csv', chunks });

test('503 with Retry-After: the database is away before the first line is read', async () => {
  const away = new DatabaseUnavailable('database unavailable', true, new Error('gone'));
  const chunks = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(away) }) };
  for (const make of [() => Promise.reject(away), async () => fileOf(chunks)]) {
    await askFor(make, async (response) => {
      assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '2']);
      assert.match(response.headers.get('content-type')!, /^application\/json/);
      assert.equal(((await response.json()) as { error: string }).error, 'Service unavailable');
    });
  }
});

test('a statement that fails after its first lines never looks whole: the connection breaks', async () => {
  async function* chunks() {
    for (let at = 0; at < 100; at++) yield 'a,b,c\r\n'.repeat(1_000);
    throw new Error('the database went away');
  }
  await askFor(
    async () => fileOf(chunks()),
    async (response) => {
      assert.equal(response.status, 200);
      await assert.rejects(response.text());
    },
  );
});

test('a reader who goes away stops the reading of lines', async () => {
  let isClosed = false;
  async function* chunks() {
    try {
      for (;;) yield 'a,b,c\r\n'.repeat(1_000);
    } finally {
      isClosed = true;
    }
  }
  await askFor(
    async () => fileOf(chunks()),
    async (response) => {
      await response.body!.cancel();
      await waitUntil('no more lines are read', () => isClosed);
    },
  );
});

test('the request that reaches the ledger: defaults, whole days in UTC', async () => {
  const asked: unknown[] = [];
  const make: StatementMaker = async (_ctx, request) => {
    asked.push(request);
    return fileOf(Readable.from([]));
  };
  await askFor(make, async () => {});
  const defaults = { format: 'csv', feature: 'account', language: 'en', order: undefined, hasBom: false };
  assert.deepEqual(asked, [{ ...defaults, startAt: undefined, endAt: undefined }]);
});

test('200 by session: finance and owner, for a user on the list of the partner; 400 userId with a key', async () => {
  const key = await makeKey(harness);
  await makeLines(harness, key.userId, [{ description: 'Only line' }]);
  const { id: stranger } = await makeUser(harness);
  const read = async (role: string, query: string) => {
    const { headers } = await signInStaff(harness, { role, partnerId: key.partnerId });
    const cookie = { cookie: headers.cookie! };
    return harness.request('GET', `/api/history/statement${query}`, { headers: cookie });
  };
  for (const role of ['finance', 'owner']) {
    const { status, body } = await read(role, `?userId=${key.userId}`);
    assert.equal(status, 200);
    assert.deepEqual(
      readCsv(body).map(({ description }) => description),
      ['Only line'],
    );
  }
  assert.equal((await read('developer', `?userId=${key.userId}`)).body.code, 'other_staff_role');
  assert.equal((await read('owner', `?userId=${stranger}`)).body.error, 'User not allowed');
  assert.equal((await read('owner', '')).body.error, 'userId is required by session');
  const byKey = await harness.request('GET', `/api/history/statement?userId=${key.userId}`, {
    token: key.token,
  });
  assert.deepEqual([byKey.status, byKey.body.error], [400, 'Unknown field: userId']);
});
