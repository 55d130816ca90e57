import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { issueKey } from '#features/keys';
import { runKeyBattery } from '#test/callers/battery';
import { signInStaff } from '#test/callers/staff-session';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { countRowsRead } from '#test/database/rows-read';
import { type RequestOptions, useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { listRequests } from './list-requests.ts';
import { flushRequests } from './note-requests.ts';
import { heldMax, RequestBuffer, storedMax } from './request-buffer.ts';
import { capRequests, sweepRequests } from './sweep-requests.ts';
import type { LoggedRequest } from './wire.ts';

const harness = useHarness({ databaseLockTimeoutMs: 500 });
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const call = (query: string, options: RequestOptions) =>
  harness.request('GET', `/api/requests${query}`, options);

async function list(query: string, options: RequestOptions): Promise<LoggedRequest[]> {
  await flushRequests(harness.deps);
  const { status, body } = await call(query, options);
  assert.equal(status, 200, body.error);
  return body.items;
}

runKeyBattery(harness, {
  title: 'GET /api/requests',
  call: (options) => call('', options),
  refusals: {
    missing: { status: 401, error: 'Unauthorized' },
    invalid: { status: 401, error: 'Unauthorized' },
    address: { status: 403, error: 'Forbidden: caller address is not on the allowlist of the key' },
  },
});

const makeAdmin = (terms: object = {}) => makeKey(harness, { scopes: ['partner:admin', 'mcp'], ...terms });

test('200 a request of a key: all of its facts, and neither query nor body', async () => {
  const admin = await makeAdmin();
  const key = await makeKey(harness, { partnerId: admin.partnerId });
  const { headers } = await harness.request('POST', `/api/crypto/${key.userId}/withdraw?secret=q7`, {
    token: key.token,
    body: { amount: '1', to: 'secret-b7' },
  });
  const [row, ...more] = await list(`?keyId=${key.id}`, admin);
  const { at, durationMs, ...rest } = row!;
  assert.deepEqual(rest, {
    requestId: headers.get('x-request-id'),
    partnerId: admin.partnerId,
    by: 'key',
    keyId: key.id,
    personId: null,
    method: 'POST',
    route: '/api/crypto/:userId/withdraw',
    path: `/api/crypto/${key.userId}/withdraw`,
    status: 400,
    errorCode: 'invalid_request',
    callerAddress: '127.0.0.1',
  });
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000 && durationMs >= 0);
  assert.deepEqual(more, []);
  const [stored] = await sql('select r::text from request_log r where request_id = $1', [rest.requestId]);
  assert.doesNotMatch(JSON.stringify(stored), /secret|Bearer|amount/);
});

test('a token that is sent as an id by mistake is not stored', async () => {
  const admin = await makeAdmin();
  await harness.request('GET', `/api/keys/${admin.token}`, admin);
  await harness.request('GET', `/api/keys/${admin.token.slice(21)}`, admin);
  const paths = (await list('?status=4xx', admin)).map(({ path }) => path);
  assert.deepEqual(paths, ['/api/keys/…', '/api/keys/…']);
});

test('refused requests of a known key are listed, with the code of their error', async () => {
  const admin = await makeAdmin();
  const { partnerId, userId } = admin;
  const yesterday = { ...harness.operatorContext(), now: new Date(Date.now() - 86_400_000) };
  const expiresAt = new Date(Date.now() - 1_000).toISOString();
  const expired = await issueKey(yesterday, { name: 'expired', partnerId, userId, expiresAt });
  const [revoked, suspended, elsewhere, narrow, busy] = [
    await makeKey(harness, { partnerId }),
    await makeKey(harness, { partnerId }),
    await makeKey(harness, { partnerId, ipAllowlist: ['203.0.113.0/24'] }),
    await makeKey(harness, { partnerId, scopes: ['history:read'] }),
    await makeKey(harness, { partnerId, scopes: ['partner:admin'] }),
  ];
  await harness.operator('keys.revoke', { keyId: revoked.id });
  await harness.operator('keys.suspend', { keyId: suspended.id, reason: 'a test' });
  for (const { token } of [expired, revoked, suspended, elsewhere, narrow]) await call('', { token });
  for (let asked = 0; asked < 31; asked++) await call('', busy);
  await harness.request('POST', '/mcp', {
    token: narrow.token,
    body: { jsonrpc: '2.0', id: 1, method: 'x' },
  });
  const codes = async (keyId: string) =>
    (await list(`?keyId=${keyId}&status=4xx`, admin)).map(({ errorCode }) => errorCode);
  assert.deepEqual(await codes(expired.id), ['unauthorized']);
  assert.deepEqual(await codes(revoked.id), ['unauthorized']);
  assert.deepEqual(await codes(suspended.id), ['unauthorized']);
  assert.deepEqual(await codes(elsewhere.id), ['address_not_allowed']);
  assert.deepEqual(await codes(narrow.id), ['-32003', 'scope_missing']);
  assert.deepEqual(await codes(busy.id), ['rate_limit_exceeded']);
});

test('who knows only the id of a key writes nothing into the log of its partner', async () => {
  const admin = await makeAdmin();
  const other = await makeKey(harness);
  await call('', { token: `${admin.token.slice(0, 21)}${other.token.slice(21)}` });
  assert.deepEqual(await list(`?keyId=${admin.id}`, admin), []);
});

test('a person sees requests by session marked as such, and nothing of another partner', async () => {
  const [admin, other] = [await makeAdmin(), await makeAdmin()];
  const { partnerId } = admin;
  const { headers, person } = await signInStaff(harness, { role: 'developer', partnerId });
  const finance = await signInStaff(harness, { role: 'finance', partnerId });
  await call('', other);
  assert.equal((await call('', finance)).status, 403);
  assert.equal((await call('', { headers: { ...headers, 'x-refresh': '1' } })).status, 200);
  await harness.request('GET', '/api/keys', { headers });
  await harness.request('GET', '/api/keys', admin);
  const rows = await list('', { headers });
  const shown = rows.map(({ by, keyId, personId, path, status }) => [by, keyId, personId, path, status]);
  assert.deepEqual(shown, [
    ['key', admin.id, null, '/api/keys', 200],
    ['person', null, person.id, '/api/keys', 200],
    ['person', null, finance.person.id, '/api/requests', 403],
  ]);
  assert.ok((await list('?by=person', { headers })).every(({ by }) => by === 'person'));
});

test('a key cannot keep its requests out of the log with the header of refreshes', async () => {
  const admin = await makeAdmin();
  await call('', { token: admin.token, headers: { 'x-refresh': '1' } });
  assert.equal((await list('', admin)).length, 1);
});

test('pages: each request once, newest first, while others are added; filters by route and period', async () => {
  const admin = await makeAdmin();
  const reader = await makeAdmin({ partnerId: admin.partnerId });
  for (let asked = 0; asked < 5; asked++) await harness.request('GET', '/api/keys', admin);
  await harness.request('GET', '/api/crypto/assets', admin);
  await flushRequests(harness.deps);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const { body } = await call(`?limit=2&keyId=${admin.id}${cursor ? `&cursor=${cursor}` : ''}`, reader);
    seen.push(...body.items.map(({ requestId }: LoggedRequest) => requestId));
    cursor = body.nextCursor;
  } while (cursor);
  const all = await list(`?keyId=${admin.id}`, reader);
  assert.deepEqual([seen, new Set(seen).size], [all.map(({ requestId }) => requestId), 6]);
  assert.deepEqual(
    all
      .map(({ at }) => at)
      .sort()
      .reverse(),
    all.map(({ at }) => at),
  );
  const assets = await list('?route=/api/crypto/assets', reader);
  assert.deepEqual(
    assets.map(({ requestId }) => requestId),
    [all[0]!.requestId],
  );
  const to = encodeURIComponent(all[3]!.at);
  const early = await list(`?keyId=${admin.id}&endDate=${to}`, reader);
  assert.ok(early.length >= 3 && early.every(({ at }) => at <= all[3]!.at));
  assert.deepEqual(await list('?startDate=2030', reader), []);
});

test('200 requests.list: support finds the request id that a partner names', async () => {
  const key = await makeKey(harness);
  const { headers } = await harness.request('GET', '/api/keys', { token: key.token });
  await flushRequests(harness.deps);
  const requestId = headers.get('x-request-id')!;
  const find = async (input: object) => (await harness.operator('requests.list', input)).body.data.items;
  const [found, ...more] = await find({ requestId: requestId.toUpperCase() });
  assert.deepEqual([found.keyId, found.errorCode, more], [key.id, 'scope_missing', []]);
  assert.deepEqual(await find({ partnerId: key.partnerId }), [found]);
  assert.deepEqual(await find({ requestId: randomUUID() }), []);
});

test('an answer does not wait for the log: while its table is locked, requests are answered and then dropped', async () => {
  const key = await makeKey(harness);
  await flushRequests(harness.deps);
  const dropped = async () => {
    const { body } = await harness.request('GET', '/metrics');
    return Number(/causeway_requests_unlogged_total\{reason="failed"\} (\d+)/.exec(body)?.[1] ?? 0);
  };
  const before = await dropped();
  const holder = new pg.Client({ connectionString: harness.databaseUrl });
  await holder.connect();
  await holder.query('begin; lock table request_log in access exclusive mode');
  for (let asked = 0; asked < 3; asked++) {
    const { status } = await harness.request('GET', '/api/crypto/assets', { token: key.token });
    assert.equal(status, 200);
  }
  // The lock was held all the time: no answer can have waited for the insert.
  await waitUntil('they are dropped', async () => (await dropped()) === before + 3);
  await holder.end();
  assert.equal((await harness.operator('requests.list', { keyId: key.id })).body.data.items.length, 0);
});

const rowOf = (partnerId: string, at = new Date()) => ({
  requestId: randomUUID(),
  at,
  partnerId,
  keyId: null,
  personId: randomUUID(),
  method: 'GET',
  route: '/x',
  path: '/x',
  status: 200,
  errorCode: null,
  durationMs: 1,
  callerAddress: '127.0.0.1',
});

test('a full buffer drops and counts what comes, and is stored in a few statements', async () => {
  const { partnerId } = await makeKey(harness);
  const statements: string[] = [];
  const counted: unknown[] = [];
  const { log } = harness.deps;
  const { promise, resolve } = Promise.withResolvers<void>();
  const db = {
    transaction: async (work: (db: object) => Promise<unknown>) => {
      await promise;
      await work({
        query: async (text: string, values?: unknown[][]) =>
          statements.push(`${text.slice(0, 6)} ${values?.[0]?.length}`),
      });
    },
  };
  const metrics = { countUnloggedRequests: (...counts: unknown[]) => counted.push(counts) };
  const buffer = new RequestBuffer({ limitsDb: db, metrics, log } as never);
  for (let made = 0; made < heldMax + 3; made++) buffer.add(rowOf(partnerId));
  assert.deepEqual(counted, [
    ['full', 1],
    ['full', 1],
    ['full', 1],
  ]);
  const drained = buffer.drain();
  resolve();
  await drained;
  const inserts = statements.filter((one) => one.startsWith('insert'));
  assert.deepEqual(inserts, [`insert ${storedMax}`, `insert ${storedMax}`]);
});

test('the sweep keeps a week, and of each partner the newest rows', async () => {
  const [one, other] = [await makeKey(harness), await makeKey(harness)];
  const buffer = new RequestBuffer(harness.deps);
  const now = harness.deps.clock();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const weekMs = 7 * 86_400_000;
  const old = [rowOf(one.partnerId, ago(weekMs + 1_000)), rowOf(other.partnerId, ago(weekMs + 1_000))];
  const young = [5, 4, 3, 2, 1].map((minutes) => rowOf(one.partnerId, ago(minutes * 60_000)));
  const border = rowOf(other.partnerId, ago(weekMs - 60_000));
  for (const row of [...old, ...young, border]) buffer.add(row);
  await buffer.drain();
  await sweepRequests({ db: harness.deps.db, now });
  await capRequests(harness.deps, 3);
  const left = await sql('select request_id as id from request_log where partner_id = any($1) order by at', [
    [one.partnerId, other.partnerId],
  ]);
  assert.deepEqual(
    left.map(({ id }) => id),
    [border, ...young.slice(2)].map(({ requestId }) => requestId),
  );
});

test('a page reads its rows and no others, of a partner, of a key and of all', async () => {
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  await flushRequests(harness.deps);
  await sql(
    `insert into request_log select gen_random_uuid(), now() - n * interval '1 second', $1, null, null, 'GET', '/x', '/x', 200, null, 1, '::1'
     from generate_series(1, 20000) n`,
    [randomUUID()],
  );
  await sql('analyze request_log');
  for (const filter of [{ partnerId: key.partnerId }, { keyId: key.id }]) {
    const read = await countRowsRead(harness.deps.db, (db) =>
      listRequests({ ...harness.operatorContext(), db }, { ...filter, limit: 10 }),
    );
    assert.ok(read >= 1 && read <= 11, String(read));
  }
  const newest = await countRowsRead(harness.deps.db, (db) =>
    listRequests({ ...harness.operatorContext(), db }, { limit: 10 }),
  );
  assert.equal(newest, 11);
});
