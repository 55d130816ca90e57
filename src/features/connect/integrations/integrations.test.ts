import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '#platform/db/db';
import { hourMs } from '#platform/values/duration';
import { makeIntegration } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { parseToken as parsePartnerToken } from '../../keys/token.ts';
import { authenticateIntegration } from './authenticate-integration.ts';
import { createToken, parseToken } from './token.ts';

const harness = useHarness();
const unknownId = '0198a0de-ffff-7000-8000-000000000000';

const terms = {
  name: 'Lender',
  logoColor: '#1A7F5A',
  purposes: ['Lend you money', 'Check who you are'],
  scopes: ['kyc', 'email'],
  redirectUris: ['https://lender.example.com/back?from=causeway', 'http://localhost:3000/back'],
};
async function register(fields: object = {}) {
  const answer = await harness.operator('integrations.register', { ...terms, ...fields });
  if (answer.status === 200) noteSecret(answer.body.data.token.split('_')[2]);
  return answer;
}
const rotate = async (integrationId: string, overlapHours?: number) => {
  const answer = await harness.operator('integrations.rotate-key', {
    integrationId,
    ...(overlapHours !== undefined && { overlapHours }),
  });
  if (answer.status === 200) noteSecret(answer.body.data.token.split('_')[2]);
  return answer;
};
const verdictOf = async (token: string, db: Db = harness.deps.db) => {
  const verdict = await authenticateIntegration({ db, now: harness.deps.clock() }, token);
  return 'refused' in verdict ? verdict.refused : verdict.actor.integrationId;
};

test('200 integrations.register: the terms come back with a key, and the key works', async () => {
  const { status, headers, body } = await register();
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'no-store');
  const { id, keyId, token, createdAt, ...rest } = body.data;
  assert.match(token, new RegExp(`^cwi_${keyId}_[a-z2-7]{39}$`));
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 10_000);
  assert.deepEqual(rest, {
    ...terms,
    logoColor: '#1a7f5a',
    scopes: ['email', 'kyc'],
    homepageUrl: null,
    privacyUrl: null,
    logoSha256: null,
    purposesPt: null,
    revokedAt: null,
  });
  assert.equal(await verdictOf(token), id);
});

test('only the SHA-256 of the secret is at rest', async () => {
  const { token } = (await register()).body.data;
  const secret = token.split('_')[2];
  const rows = await harness.deps.db.query(
    'select i::text || k::text as text from integrations i, integration_keys k',
  );
  assert.ok(rows.length > 0);
  for (const { text } of rows) assert.ok(!(text as string).includes(secret.slice(0, 32)));
});

test('a token of one kind is not valid as the other, whatever its prefix', () => {
  for (let made = 0; made < 200; made++) {
    const { id, text, secretSha256 } = createToken();
    assert.match(text, /^cwi_[a-z2-7]{16}_[a-z2-7]{39}$/);
    assert.deepEqual(parseToken(text), { id, secretSha256 });
    assert.equal(parsePartnerToken(text), undefined);
    assert.equal(parsePartnerToken(text.replace('cwi_', 'cwk_')), undefined);
  }
});

test('authenticating costs one query, and none for what cannot be a key', async () => {
  const { id, token } = await makeIntegration(harness);
  for (const [presented, outcome, cost] of [
    [token, id, 1],
    [createToken().text, 'unknown', 1],
    [token.slice(0, -1), 'malformed', 0],
    ['', 'missing', 0],
  ] as const) {
    let count = 0;
    const db: Db = {
      transaction: (work) => harness.deps.db.transaction(work),
      query: (text, values) => {
        count += 1;
        return harness.deps.db.query(text, values);
      },
    };
    assert.deepEqual([await verdictOf(presented, db), count], [outcome, cost]);
  }
});

for (const [field, fields] of [
  ['name', { name: '' }],
  ['name', { name: 'a\nb' }],
  ['logoColor', { logoColor: 'green' }],
  ['logoColor', { logoColor: '#12345' }],
  ['logoColor', { logoColor: '#123456;background:url(x)' }],
  ['purposes', { purposes: [] }],
  ['purposes', { purposes: ['Lend', 'Lend'] }],
  ['purposes.0', { purposes: ['x'.repeat(201)] }],
  ['scopes', { scopes: [] }],
  ['scopes', { scopes: ['email', 'email'] }],
  ['scopes.1', { scopes: ['email', 'cards'] }],
  ['redirectUris', { redirectUris: [] }],
  ['redirectUris.0', { redirectUris: ['/back'] }],
  ['redirectUris.0', { redirectUris: ['javascript:alert(1)'] }],
  ['redirectUris.0', { redirectUris: ['data:text/html,x'] }],
  ['redirectUris.0', { redirectUris: ['http://lender.example.com/back'] }],
  ['redirectUris.0', { redirectUris: ['https://user:pass@lender.example.com/'] }],
  ['redirectUris.0', { redirectUris: ['https://lender.example.com/#part'] }],
  ['redirectUris.0', { redirectUris: ['https://lender.example.com/#'] }],
  ['redirectUris.0', { redirectUris: ['https://LENDER.example.com/back'] }],
  ['redirectUris.0', { redirectUris: ['https://lender.example.com/a/../back'] }],
  ['redirectUris.0', { redirectUris: ['https://lender.example.com\\@evil.example/'] }],
  ['redirectUris.0', { redirectUris: ['https://lender.example.com/?state=1'] }],
  // What a host can have and a content policy would read otherwise.
  ['redirectUris.0', { redirectUris: ['https://*.example.com/'] }],
  ['redirectUris.0', { redirectUris: ["https://a'b.example.com/"] }],
  ['redirectUris.0', { redirectUris: ['https://a;script-src.example.com/'] }],
  ['redirectUris.0', { redirectUris: ['https://a,b.example.com/'] }],
  ['redirectUris.0', { redirectUris: ['http://[::1]:3000/back'] }],
  ['redirectUris.1', { redirectUris: ['https://lender.example.com/', 'https://x.example/?consent_id=1'] }],
  ['owner', { owner: 'me' }],
] as const) {
  test(`400 integrations.register: ${JSON.stringify(fields).slice(0, 80)}`, async () => {
    const { status, body } = await register(fields);
    assert.equal(status, 400);
    assert.equal(body.details[0].field, field, body.error);
  });
}

test('200 integrations.rotate-key: the old key works until the overlap ends, and its successor after', async () => {
  const old = await makeIntegration(harness);
  const { status, body } = await rotate(old.id.toUpperCase(), 2);
  assert.equal(status, 200);
  const { token, keyId, olderKeysEndAt, integrationId } = body.data;
  assert.equal(integrationId, old.id);
  assert.notEqual(keyId, old.keyId);
  assert.ok(Math.abs(Date.parse(olderKeysEndAt) - harness.deps.clock().getTime() - 2 * hourMs) < 10_000);
  assert.deepEqual([await verdictOf(old.token), await verdictOf(token)], [old.id, old.id]);
  harness.advance(2 * hourMs);
  assert.deepEqual([await verdictOf(old.token), await verdictOf(token)], ['expired', old.id]);
});

test('200 integrations.rotate-key: 24 hours by default; a later rotation shortens every older key and lengthens none', async () => {
  const first = await makeIntegration(harness);
  const second = (await rotate(first.id)).body.data;
  const third = (await rotate(first.id, 720)).body.data;
  harness.advance(24 * hourMs);
  assert.deepEqual(
    [await verdictOf(first.token), await verdictOf(second.token), await verdictOf(third.token)],
    ['expired', first.id, first.id],
  );
  const fourth = (await rotate(first.id, 0)).body.data;
  assert.deepEqual(
    [await verdictOf(second.token), await verdictOf(third.token), await verdictOf(fourth.token)],
    ['expired', 'expired', first.id],
  );
});

test('200 integrations.rotate-key: several at once come one after another, and the last key goes on', async () => {
  const { id } = await makeIntegration(harness);
  const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(id, 1)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  harness.advance(hourMs + 10_000);
  const verdicts = await Promise.all(answers.map(({ body }) => verdictOf(body.data.token)));
  assert.deepEqual(verdicts.sort(), [id, ...Array(5).fill('expired')].sort());
});

test('200 integrations.revoke: twice is once; 409 integrations.rotate-key afterwards', async () => {
  const { id, token } = await makeIntegration(harness);
  const successor = (await rotate(id)).body.data;
  const first = await harness.operator('integrations.revoke', { integrationId: id });
  harness.advance(1_000);
  const second = await harness.operator('integrations.revoke', { integrationId: id });
  assert.ok(first.body.data.revokedAt);
  assert.deepEqual(second.body, first.body);
  assert.deepEqual([await verdictOf(token), await verdictOf(successor.token)], ['revoked', 'revoked']);
  const { status, body } = await rotate(id);
  assert.deepEqual([status, body.error], [409, 'Integration is revoked']);
  const { items } = (
    await harness.operator('audit.list', { subject: `integration:${id}`, action: 'integrations.revoke' })
  ).body.data;
  assert.equal(items.length, 1);
});

for (const command of ['integrations.rotate-key', 'integrations.revoke']) {
  test(`404 ${command}: Integration not found`, async () => {
    const { status, body } = await harness.operator(command, { integrationId: unknownId });
    assert.deepEqual([status, body.error], [404, 'Integration not found']);
  });
}

for (const overlapHours of [-1, 721, 1.5, '24', null]) {
  test(`400 integrations.rotate-key: overlapHours ${JSON.stringify(overlapHours)}`, async () => {
    const { status, body } = await harness.operator('integrations.rotate-key', {
      integrationId: unknownId,
      overlapHours,
    });
    assert.deepEqual([status, body.details[0].field], [400, 'overlapHours']);
  });
}

test('200 integrations.list: every one once, oldest first, page by page, with keys and without secrets', async () => {
  const made = await Promise.all(Array.from({ length: 7 }, () => makeIntegration(harness)));
  const rotated = (await rotate(made[0]!.id)).body.data;
  const seen: { id: string; keys: { id: string }[] }[] = [];
  let cursor: string | null = null;
  do {
    const { body } = await harness.operator('integrations.list', { limit: 3, ...(cursor && { cursor }) });
    seen.push(...body.data.items);
    cursor = body.data.nextCursor;
  } while (cursor);
  const ids = seen.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)].sort());
  for (const { id } of made) assert.ok(ids.includes(id));
  const first = seen.find(({ id }) => id === made[0]!.id)!;
  assert.deepEqual(new Set(first.keys.map(({ id }) => id)), new Set([made[0]!.keyId, rotated.keyId]));
  assert.ok(!JSON.stringify(seen).includes('token'));
});
