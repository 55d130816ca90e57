import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { selectUserAccess } from '#features/partners';
import type { Db } from '#platform/db/db';
import { hourMs } from '#platform/values/duration';
import { makeKey, makePartner, makeUser } from '#test/data/factories';
import { type Answer, ask, noteSecret, testConfig, testLog, useHarness } from '#test/harness';
import { buildApp } from '../../app.ts';
import { createDeps } from '../../main.ts';
import { authenticateKey } from './authenticate-key.ts';
import { selectCredential, selectCredentialFor } from './queries.ts';
import { apiScopes, mcpScopes, usualScopes } from './scopes.ts';
import { createToken, parseToken } from './token.ts';

const harness = useHarness({ trustedProxies: ['127.0.0.1'] });
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

// A feature that does not exist: the answer after the key was accepted, without any other query.
const guardedPath = '/api/history?resource=account&feature=none';
const use = (token: string, headers?: Record<string, string>) =>
  harness.request('GET', guardedPath, { token, headers });
const isAccepted = ({ status, body }: Answer) => status === 429 || body.error === 'Invalid feature';

async function issue(terms: object = {}): Promise<Answer> {
  const [partner, user] = [await makePartner(harness), await makeUser(harness)];
  await harness.operator('partners.allow-user', { partnerId: partner.id, userId: user.id });
  const answer = await harness.operator('keys.issue', {
    name: 'till',
    partnerId: partner.id,
    userId: user.id,
    ...terms,
  });
  if (answer.status === 200) noteSecret(answer.body.data.token.split('_')[2]);
  return answer;
}

/** Any database, with its statements counted. */
function countingDb(db: Db): { db: Db; count: () => number } {
  let count = 0;
  return {
    count: () => count,
    db: {
      transaction: (work) => db.transaction(work),
      query: (text, values) => {
        count += 1;
        return db.query(text, values);
      },
    },
  };
}

const authenticate = (db: Db, token: string) =>
  authenticateKey({ db, now: new Date() }, { authorization: `Bearer ${token}`, address: '127.0.0.1' });

test('200 keys.issue: the terms come back with a token, and the token works', async () => {
  const expiresAt = new Date(Date.now() + hourMs).toISOString();
  const terms = { scopes: ['mcp', 'mcp:write', 'mcp'], ipAllowlist: ['127.0.0.0/8'], expiresAt };
  const { status, headers, body } = await issue(terms);
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'no-store');
  const { id, token, createdAt, partnerId, userId, ...rest } = body.data;
  assert.match(token, new RegExp(`^cwk_${id}_[a-z2-7]{39}$`));
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 10_000);
  assert.deepEqual(rest, {
    name: 'till',
    scopes: ['mcp', 'mcp:write', ...usualScopes],
    ipAllowlist: ['127.0.0.0/8'],
    expiresAt,
    revokedAt: null,
    rotatedFrom: null,
    rotatedAt: null,
    suspendedAt: null,
    suspendedReason: null,
    issuedByKey: null,
  });
  assert.ok(isAccepted(await use(token)));
});

test('200 keys.issue: ids in upper case are the same ids', async () => {
  const [partner, user] = [await makePartner(harness), await makeUser(harness)];
  await harness.operator('partners.allow-user', { partnerId: partner.id, userId: user.id });
  const { body } = await issue({ partnerId: partner.id.toUpperCase(), userId: user.id.toUpperCase() });
  assert.deepEqual([body.data.partnerId, body.data.userId], [partner.id, user.id]);
});

test('only the SHA-256 of the secret is at rest', async () => {
  const { id, token } = (await issue()).body.data;
  const secret = token.split('_')[2].slice(0, 32);
  const [row] = await harness.deps.db.query<{ hash: Buffer; text: string }>(
    'select secret_sha256 as hash, k::text as text from api_keys k where id = $1',
    [id],
  );
  assert.deepEqual(row!.hash, createHash('sha256').update(secret).digest());
  assert.ok(!row!.text.includes(secret));
  const dump = await harness.deps.db.query<{ text: string }>(
    'select a::text as text from audit_log a where subject = $1',
    [`key:${id}`],
  );
  assert.equal(dump.length, 1);
  assert.ok(!dump[0]!.text.includes(secret));
});

const unknownId = '0198a0de-ffff-7000-8000-000000000000';
for (const [error, terms, field] of [
  ['name is required', { name: undefined }, 'name'],
  ['name must not be empty', { name: '' }, 'name'],
  ['partnerId must be a UUID', { partnerId: '{0198a0de-ffff-7000-8000-000000000000}' }, 'partnerId'],
  ['userId must be string', { userId: 7 }, 'userId'],
  [
    `scopes.1 must be one of ${[...mcpScopes, ...apiScopes].join(', ')}`,
    { scopes: ['mcp', 'admin'] },
    'scopes.1',
  ],
  ['expiresAt must be an instant, such as 2026-01-31T12:00:00Z', { expiresAt: 'tomorrow' }, 'expiresAt'],
  ['Unknown field: owner', { owner: 'me' }, 'owner'],
] as const) {
  test(`400 keys.issue: ${error}`, async () => {
    const { status, body } = await issue(terms);
    assert.equal(status, 400);
    assert.ok(body.error.startsWith(error), body.error);
    assert.equal(body.code, 'invalid_request');
    assert.equal(body.details[0].field, field);
  });
}

for (const [error, terms] of [
  ['expiresAt must be in the future', { expiresAt: '2020-01-01T00:00:00Z' }],
  ['expiresAt is out of range', { expiresAt: '2030-12-31T23:59:60Z' }],
  ['expiresAt is out of range', { expiresAt: '9999-12-31T23:59:59-01:00' }],
  ['ipAllowlist: 10.0.0.0/33 has a prefix outside 0 to 32', { ipAllowlist: ['10.0.0.0/33'] }],
  ['ipAllowlist: 2001:db8::/129 has a prefix outside 0 to 128', { ipAllowlist: ['::1', '2001:db8::/129'] }],
  ['ipAllowlist: example.com is not an address or CIDR block', { ipAllowlist: ['example.com'] }],
  ['ipAllowlist: 10.0.0.0/8/8 is not an address or CIDR block', { ipAllowlist: ['10.0.0.0/8/8'] }],
  ['ipAllowlist: fe80::1%eth0 is not an address or CIDR block', { ipAllowlist: ['fe80::1%eth0'] }],
  ['ipAllowlist:  is not an address or CIDR block', { ipAllowlist: [''] }],
] as const) {
  test(`400 keys.issue: ${JSON.stringify(terms)}`, async () => {
    const { status, body } = await issue(terms);
    assert.deepEqual([status, body.error], [400, error]);
  });
}

test('404 keys.issue: Partner not found, User not found', async () => {
  const noPartner = await issue({ partnerId: unknownId });
  assert.deepEqual([noPartner.status, noPartner.body.error], [404, 'Partner not found']);
  const noUser = await issue({ userId: unknownId });
  assert.deepEqual([noUser.status, noUser.body.error], [404, 'User not found']);
});

test('the token is a prefix, an id of 80 bits, a secret of 160 and a checksum of 32, in base 32', () => {
  const tokens = Array.from({ length: 2_000 }, createToken);
  for (const { id, text, secretSha256 } of tokens) {
    assert.match(text, /^cwk_[a-z2-7]{16}_[a-z2-7]{32}[a-z2-7]{7}$/);
    assert.deepEqual(parseToken(text), { id, secretSha256 });
  }
  assert.equal(new Set(tokens.map(({ text }) => text)).size, tokens.length);
  const randomPlaces = [...Array(16).keys()]
    .map((at) => 4 + at)
    .concat([...Array(32).keys()].map((at) => 21 + at));
  for (const place of randomPlaces) {
    const seen = new Set(tokens.map(({ text }) => text[place]));
    assert.equal(seen.size, 32, `character ${place} takes only ${seen.size} values`);
  }
});

test('any single character changed, dropped, doubled or swapped with the next is refused without a query', async () => {
  const counting = countingDb(harness.deps.db);
  const { token } = await makeKey(harness);
  const others = [...alphabet, 'A', '0', '1', '_', '-', 'é'];
  const wrong = new Set<string>();
  for (let at = 0; at < token.length; at++) {
    const [head, tail] = [token.slice(0, at), token.slice(at + 1)];
    for (const other of others) wrong.add(head + other + tail);
    wrong.add(head + tail);
    wrong.add(head + token[at] + token[at] + tail);
    if (tail !== '') wrong.add(head + tail[0] + token[at] + tail.slice(1));
  }
  wrong.delete(token);
  assert.ok(wrong.size > 2_000);
  for (const typo of wrong)
    assert.deepEqual(await authenticate(counting.db, typo), { refused: 'malformed' }, typo);
  assert.equal(counting.count(), 0);
});

test('authenticating costs one query: for a good key, an unknown one, and one with another secret', async () => {
  const { token, id } = await makeKey(harness);
  const stranger = createToken();
  for (const [presented, outcome] of [
    [token, undefined],
    [stranger.text, 'unknown'],
  ] as const) {
    const counting = countingDb(harness.deps.db);
    const verdict = await authenticate(counting.db, presented);
    assert.equal('refused' in verdict ? verdict.refused : undefined, outcome);
    assert.equal(counting.count(), 1);
  }
  await harness.deps.db.query('update api_keys set secret_sha256 = $2 where id = $1', [
    id,
    stranger.secretSha256,
  ]);
  assert.deepEqual(await authenticate(harness.deps.db, token), { refused: 'unknown' });
});

test('200 keys.rotate: the new key has the terms of the old, which works until the overlap ends', async () => {
  const old = (await issue({ scopes: ['mcp'], ipAllowlist: ['127.0.0.1'] })).body.data;
  const { status, body } = await harness.operator('keys.rotate', { keyId: old.id, overlapHours: 2 });
  assert.equal(status, 200);
  const fresh = body.data;
  noteSecret(fresh.token.split('_')[2]);
  const { name, partnerId, userId, scopes, ipAllowlist, expiresAt, rotatedFrom } = fresh;
  assert.deepEqual(
    { name, partnerId, userId, scopes, ipAllowlist },
    {
      name: old.name,
      partnerId: old.partnerId,
      userId: old.userId,
      scopes: ['mcp', ...usualScopes],
      ipAllowlist: ['127.0.0.1'],
    },
  );
  assert.deepEqual({ expiresAt, rotatedFrom }, { expiresAt: null, rotatedFrom: old.id });
  assert.notEqual(fresh.token, old.token);
  const inOverlap = [await use(old.token), await use(fresh.token)];
  assert.ok(inOverlap.every(isAccepted));
  harness.advance(2 * hourMs - 60_000);
  assert.ok(isAccepted(await use(old.token)));
  harness.advance(60_000);
  assert.equal((await use(old.token)).status, 401);
  assert.ok(isAccepted(await use(fresh.token)));
});

test('200 keys.rotate: 24 hours of overlap by default, none with 0', async () => {
  const usual = await makeKey(harness);
  assert.equal((await harness.operator('keys.rotate', { keyId: usual.id })).status, 200);
  const [listed] = (await harness.operator('keys.list', { userId: usual.userId })).body.data.items.filter(
    ({ id }: { id: string }) => id === usual.id,
  );
  assert.equal(Date.parse(listed.expiresAt) - Date.parse(listed.rotatedAt), 24 * hourMs);

  const sudden = await makeKey(harness);
  const { body } = await harness.operator('keys.rotate', { keyId: sudden.id, overlapHours: 0 });
  assert.equal((await use(sudden.token)).status, 401);
  assert.ok(isAccepted(await use(body.data.token)));
});

test('200 keys.rotate: an overlap never outlasts the old key, and the new key has the full lifetime', async () => {
  const expiresAt = new Date(harness.deps.clock().getTime() + 3 * hourMs).toISOString();
  const old = await makeKey(harness, { expiresAt });
  harness.advance(hourMs);
  const fresh = (await harness.operator('keys.rotate', { keyId: old.id, overlapHours: 720 })).body.data;
  const lifetimeMs = Date.parse(fresh.expiresAt) - Date.parse(fresh.createdAt);
  assert.equal(lifetimeMs, Date.parse(expiresAt) - Date.parse(old.createdAt));
  harness.advance(2 * hourMs);
  assert.equal((await use(old.token)).status, 401);
  assert.ok(isAccepted(await use(fresh.token)));
  harness.advance(hourMs);
  assert.equal((await use(fresh.token)).status, 401);
});

test('200 keys.rotate: a lifetime that would end after the year 9999 ends with it', async () => {
  const latest = '9999-12-31T23:59:59.999Z';
  const old = await makeKey(harness, { expiresAt: '9999-12-31T23:59:59Z' });
  let keyId = old.id;
  for (let time = 0; time < 2; time++) {
    harness.advance(hourMs);
    const { status, body } = await harness.operator('keys.rotate', { keyId });
    assert.deepEqual([status, body.data?.expiresAt], [200, latest]);
    noteSecret(body.data.token.split('_')[2]);
    assert.ok(isAccepted(await use(body.data.token)));
    keyId = body.data.id;
  }
  const listed = await harness.operator('keys.list', { userId: old.userId });
  assert.deepEqual([listed.status, listed.body.data?.items.length], [200, 3]);
  assert.equal(
    (await issue({ expiresAt: latest })).body.data?.expiresAt,
    latest,
    'the latest that is issued',
  );
});

test('409 keys.rotate: Key is revoked, expired or already rotated', async () => {
  const revoked = await makeKey(harness);
  await harness.operator('keys.revoke', { keyId: revoked.id });
  const rotated = await makeKey(harness);
  await harness.operator('keys.rotate', { keyId: rotated.id });
  const expired = await makeKey(harness, {
    expiresAt: new Date(harness.deps.clock().getTime() + hourMs).toISOString(),
  });
  harness.advance(hourMs);
  for (const { id } of [revoked, rotated, expired]) {
    const { status, body } = await harness.operator('keys.rotate', { keyId: id });
    assert.deepEqual([status, body.error], [409, 'Key is revoked, expired or already rotated']);
  }
});

test('409 keys.rotate: of several at once one wins, and one new key is made', async () => {
  const old = await makeKey(harness);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => harness.operator('keys.rotate', { keyId: old.id })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
  const { items } = (await harness.operator('keys.list', { userId: old.userId })).body.data;
  assert.equal(items.length, 2);
});

test('200 keys.rotate: at the same time as changes to its user and partner, nobody is chosen as a deadlock victim', async () => {
  const { userId, partnerId } = await makeKey(harness);
  const keys = await Promise.all(Array.from({ length: 6 }, () => makeKey(harness, { userId, partnerId })));
  const answers = await Promise.all(
    keys.flatMap(({ id }, at) => [
      harness.operator('keys.rotate', { keyId: id }),
      harness.operator('users.update', { userId, email: `changed-${at}-${userId}@example.com` }),
      harness.operator('partners.disallow-user', { partnerId, userId }),
      harness.operator('partners.allow-user', { partnerId, userId }),
    ]),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
});

for (const command of ['keys.rotate', 'keys.revoke']) {
  test(`404 ${command}: Key not found`, async () => {
    const { status, body } = await harness.operator(command, { keyId: 'a'.repeat(16) });
    assert.deepEqual([status, body.error, body.code], [404, 'Key not found', 'key_not_found']);
  });
  for (const keyId of ['A'.repeat(16), 'a'.repeat(15), 'a'.repeat(17), '1'.repeat(16), 7, null, undefined]) {
    test(`400 ${command}: keyId ${keyId}`, async () => {
      const { status, body } = await harness.operator(command, { keyId });
      assert.equal(status, 400);
      assert.equal(body.details[0].field, 'keyId');
    });
  }
}

for (const overlapHours of [-1, 721, 1.5, '24', null]) {
  test(`400 keys.rotate: overlapHours ${JSON.stringify(overlapHours)}`, async () => {
    const { status, body } = await harness.operator('keys.rotate', { keyId: 'a'.repeat(16), overlapHours });
    assert.equal(status, 400);
    assert.equal(body.details[0].field, 'overlapHours');
  });
}

test('200 keys.revoke: twice is once', async () => {
  const { id } = await makeKey(harness);
  const first = await harness.operator('keys.revoke', { keyId: id });
  harness.advance(1_000);
  const second = await harness.operator('keys.revoke', { keyId: id });
  assert.equal(first.status, 200);
  assert.ok(first.body.data.revokedAt);
  assert.deepEqual(second.body, first.body);
  const { items } = (await harness.operator('audit.list', { subject: `key:${id}`, action: 'keys.revoke' }))
    .body.data;
  assert.equal(items.length, 1);
});

/** Another server on the same database, as a second process would be. */
async function withSecondServer(work: (url: string) => Promise<void>): Promise<void> {
  const config = testConfig(harness.databaseUrl);
  const deps = createDeps(config, testLog());
  const server = await buildApp(deps, { ...config, servesApi: true });
  try {
    await work(await server.listen({ host: '127.0.0.1', port: 0 }));
  } finally {
    await server.close();
    await deps.db.end();
  }
}

test('401 after keys.revoke: on the next request of every server on the database', async () => {
  const { id, token } = await makeKey(harness);
  await withSecondServer(async (url) => {
    const useOnSecond = () => ask(url + guardedPath, { headers: { authorization: `Bearer ${token}` } });
    assert.ok(isAccepted(await useOnSecond()));
    await harness.operator('keys.revoke', { keyId: id });
    assert.equal((await useOnSecond()).status, 401);
    assert.equal((await use(token)).status, 401);
  });
});

for (const [address, isInside] of [
  ['203.0.113.7', true],
  ['203.0.114.7', false],
  ['198.51.100.9', true],
  ['198.51.100.8', false],
  ['2001:db8:1::5', true],
  ['2001:DB8:1:0:0:0:0:5', true],
  ['2001:db9::1', false],
  ['::ffff:203.0.113.7', true],
  ['::ffff:203.0.114.7', false],
] as const) {
  test(`${isInside ? 400 : 403}: a key for 203.0.113.0/24, 198.51.100.9 and 2001:db8::/32, used from ${address}`, async () => {
    const { token } = await makeKey(harness, {
      ipAllowlist: ['203.0.113.0/24', '198.51.100.9', '2001:db8::/32'],
    });
    const { status } = await use(token, { 'x-forwarded-for': address });
    assert.equal(status, isInside ? 400 : 403);
  });
}

test('200 keys.list: every key once, page by page, while keys are issued and revoked', async () => {
  const { partnerId, userId } = await makeKey(harness);
  const made = await Promise.all(Array.from({ length: 24 }, () => makeKey(harness, { partnerId, userId })));
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const input: object = { partnerId, limit: 4, ...(cursor && { cursor }) };
    const { status, body } = await harness.operator('keys.list', input);
    assert.equal(status, 200);
    assert.ok(body.data.items.length <= 4);
    for (const item of body.data.items) {
      assert.equal(item.token, undefined);
      seen.push(item.id);
    }
    cursor = body.data.nextCursor;
    await makeKey(harness, { partnerId, userId });
    await harness.operator('keys.revoke', { keyId: made[seen.length % made.length]!.id });
  } while (cursor);
  assert.equal(new Set(seen).size, seen.length, 'no key twice');
  assert.deepEqual(
    made.map(({ id }) => id).filter((id) => !seen.includes(id)),
    [],
    'no key left out',
  );
});

test('200 keys.list: by user, by partner, by both', async () => {
  const one = await makeKey(harness);
  const sameUser = await makeKey(harness, { userId: one.userId });
  const idsOf = async (filter: object) =>
    (await harness.operator('keys.list', filter)).body.data.items.map(({ id }: { id: string }) => id);
  assert.deepEqual(await idsOf({ partnerId: one.partnerId }), [one.id]);
  assert.deepEqual(await idsOf({ userId: one.userId }), [one.id, sameUser.id].sort());
  assert.deepEqual(await idsOf({ userId: one.userId, partnerId: sameUser.partnerId }), [sameUser.id]);
  assert.deepEqual(await idsOf({ userId: unknownId }), []);
});

test('keys with users, in one batch: the same as each key alone and each user alone', async () => {
  const { db } = harness.deps;
  const [one, other] = [await makeKey(harness), await makeKey(harness)];
  const suspended = await makeKey(harness);
  await harness.operator('users.suspend', { userId: suspended.userId, reason: 'a test' });
  const users = [one.userId, other.userId, suspended.userId, randomUUID()];
  const asked = [one.id, other.id, suspended.id, 'a'.repeat(16)].flatMap((keyId) =>
    users.map((userId) => ({ keyId, userId })),
  );
  const found = await Promise.all(asked.map((pair) => selectCredentialFor(db, pair)));
  const accesses = new Set<string>();
  for (const [at, { keyId, userId }] of asked.entries()) {
    const key = await selectCredential(db, keyId);
    const access = key && (await selectUserAccess(db, key.partnerId, userId));
    assert.deepEqual(found[at], key && { ...key, access });
    accesses.add(`${access} ${key?.isSuspended}`);
  }
  assert.deepEqual([...accesses].sort(), [
    'allowed false',
    'refused false',
    'refused true',
    'undefined undefined',
    'unknown false',
    'unknown true',
  ]);
});
