import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKeyBattery } from '#test/callers/battery';
import { makeKey } from '#test/data/factories';
import { type Answer, ask, cloneDatabase, testConfig, testLog, useHarness } from '#test/harness';
import { buildApp } from '../../app.ts';
import { createDeps } from '../../main.ts';
import { historyErrors } from './errors.ts';

const harness = useHarness();
const accountQuery = '?resource=account&feature=account';
const instantForms =
  'a year, month, day or instant of ISO 8601, such as 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z';
const get = (query: string, token: string) => harness.request('GET', `/api/history${query}`, { token });

runKeyBattery(harness, {
  title: 'GET /api/history',
  call: (options) => harness.request('GET', `/api/history${accountQuery}`, options),
  refusals: {
    missing: { status: 401, error: 'Unauthorized: API key is required' },
    invalid: { status: 401, error: 'Unauthorized: Invalid API key' },
    address: { status: 403, error: 'Forbidden: caller address is not on the allowlist of the key' },
  },
});

for (const [query, error] of [
  ['?resource=account&feature=cards-summary', 'Invalid feature'],
  ['?resource=cards&feature=account', 'Invalid feature'],
  ['?resource=nothing&feature=account', 'Invalid feature'],
  ['?resource=__proto__&feature=toString', 'Invalid feature'],
  ['?resource=account&feature=constructor', 'Invalid feature'],
  ['?feature=account', 'resource is required'],
  ['?resource=account', 'feature is required'],
  [`${accountQuery}&pageSize=0`, 'pageSize must be >= 1'],
  [`${accountQuery}&pageSize=201`, 'pageSize must be <= 200'],
  [`${accountQuery}&pageSize=5.0`, 'pageSize must be integer'],
  [`${accountQuery}&pageSize=0x10`, 'pageSize must be integer'],
  [`${accountQuery}&pageSize=`, 'pageSize must be integer'],
  [`${accountQuery}&pageSize=05`, 'pageSize must be integer'],
  [`${accountQuery}&currentPage=-0`, 'currentPage must be integer'],
  [`${accountQuery}&currentPage=-1`, 'currentPage must be >= 0'],
  [`${accountQuery}&pageSize=5&pageSize=6`, 'Query parameter "pageSize" is given more than once'],
  [`${accountQuery}&startDate=yesterday`, `startDate must be ${instantForms}`],
  [`${accountQuery}&startDate=2026-02-30`, `startDate must be ${instantForms}`],
  [`${accountQuery}&endDate=2026-01-01T25:00:00Z`, `endDate must be ${instantForms}`],
  [`${accountQuery}&startDate=2026-1`, `startDate must be ${instantForms}`],
  [`${accountQuery}&endDate=2026-13`, `endDate must be ${instantForms}`],
  [`${accountQuery}&startDate=2026-02&endDate=2026-01`, 'startDate must not be after endDate'],
  [`${accountQuery}&startDate=2026-02-01&endDate=2026-01-01`, 'startDate must not be after endDate'],
  [`${accountQuery}&status=active`, 'status is not used by feature account'],
  [`${accountQuery}&filterByText=x`, 'filterByText is not used by feature account'],
  [
    '?resource=cards&feature=cards-balance&filterByText=x',
    'filterByText is not used by feature cards-balance',
  ],
  ['?resource=cards&feature=cards-summary&startDate=soon', `startDate must be ${instantForms}`],
  ['?resource=account&feature=account-unsettled&asOf=soon', `asOf must be ${instantForms}`],
  [
    '?resource=cards&feature=cards-summary&status=lost',
    'status must be one of all, active, inactive, locked, canceled',
  ],
  [`${accountQuery}&userId=1`, 'Unknown field: userId'],
  [`${accountQuery}&startDate=%ff`, 'Query string is not valid UTF-8'],
] as const) {
  test(`400 ${error}: ${query}`, async () => {
    const { token } = await makeKey(harness);
    const answer = await get(query, token);
    assert.equal(answer.status, 400);
    assert.equal(answer.body.error, error);
    assert.match(answer.body.code, /^[a-z_]+$/);
    assert.equal(answer.body.requestId, answer.headers.get('x-request-id'));
  });
}

test('429 Rate limit exceeded: the third request of a user in two seconds, whichever key is used', async () => {
  const one = await makeKey(harness);
  const other = await makeKey(harness, { partnerId: one.partnerId, userId: one.userId });
  const stranger = await makeKey(harness);
  const first = await get(accountQuery, one.token);
  assert.equal(first.headers.get('ratelimit-policy'), '"history";q=2;w=2');
  assert.equal(first.headers.get('ratelimit'), '"history";r=1;t=2');
  await get(accountQuery, other.token);
  const third = await get(accountQuery, one.token);
  assert.equal(third.status, 429);
  assert.equal(third.body.error, 'Rate limit exceeded');
  assert.match(third.headers.get('retry-after')!, /^[12]$/);
  assert.notEqual((await get(accountQuery, stranger.token)).status, 429);
});

test('429 Rate limit exceeded: a request that is refused for its query has used the allowance, too', async () => {
  const { token } = await makeKey(harness);
  for (const _ of [1, 2]) assert.equal((await get('?resource=account', token)).status, 400);
  const { status, headers, body } = await get(accountQuery, token);
  assert.equal(status, 429);
  assert.deepEqual(Object.keys(body), ['error', 'code', 'requestId']);
  assert.deepEqual([body.error, body.code], ['Rate limit exceeded', 'rate_limit_exceeded']);
  assert.equal(headers.get('ratelimit-policy'), '"history";q=2;w=2');
  assert.match(headers.get('ratelimit')!, /^"history";r=0;t=[12]$/);
});

/** What a server answers whose keys are in another database. */
async function askWithDatabase(
  databaseUrl: string,
  work: (get: (headers: Record<string, string>) => Promise<Answer>) => Promise<void>,
): Promise<void> {
  const config = testConfig(databaseUrl);
  const deps = createDeps(config, testLog());
  const server = await buildApp(deps, { ...config, servesApi: true });
  try {
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    await work((headers) => ask(`${url}/api/history${accountQuery}`, { headers }));
  } finally {
    await server.close();
    await deps.db.end();
  }
}

for (const [why, databaseUrl] of [
  ['nobody listens where the database should be', async () => 'postgres://nobody:none@127.0.0.1:1/none'],
  ['the database has no table of keys', () => cloneDatabase('template1')],
] as const) {
  test(`500 API key validation failed: ${why}`, async () => {
    const { token } = await makeKey(harness);
    await askWithDatabase(await databaseUrl(), async (get) => {
      const { status, headers, body } = await get({ authorization: `Bearer ${token}` });
      assert.equal(status, 500);
      assert.match(body.error, /^API key validation failed: \S/);
      assert.deepEqual(Object.keys(body), ['error', 'code', 'requestId']);
      assert.equal(body.requestId, headers.get('x-request-id'));
      assert.doesNotMatch(JSON.stringify(body), /127\.0\.0\.1|ECONN|relation|api_keys|select|\.ts\b/i);
      // What needs no look at the keys is answered as always.
      assert.equal((await get({})).body.error, 'Unauthorized: API key is required');
      const unknown = await get({ authorization: 'Bearer not-a-token' });
      assert.deepEqual([unknown.status, unknown.body.error], [401, 'Unauthorized: Invalid API key']);
    });
  });
}

test('the error table is the contract’s, row by row', () => {
  const rows = Object.values(historyErrors).map((row) => [row().status, row().message]);
  for (const [status, message] of [
    [400, /^Invalid feature$/],
    [401, /^Unauthorized: API key is required$/],
    [401, /^Unauthorized: Invalid API key$/],
    [429, /^Rate limit exceeded$/],
    [500, /^API key validation failed: ./],
  ] as const) {
    assert.equal(rows.filter((row) => row[0] === status && message.test(String(row[1]))).length, 1);
  }
});
