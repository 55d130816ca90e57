import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { ConsentScope, RegisteredIntegration } from '#features/connect/integrations';
import { addWallet } from '#features/users';
import { dayMs } from '#platform/values/duration';
import {
  integrationContextOf,
  makeConsent,
  makeConsentRequest,
  makeIntegration,
  makeUser,
  userContextOf,
} from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { decideConsent, openConsentLink } from './index.ts';
import { readConsentedData } from './read-consented-data.ts';

const harness = useHarness({ trustedProxies: ['127.0.0.1'] });
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

const read = ({ token }: { token: string }, consentId: string, headers: Record<string, string> = {}) =>
  harness.request('GET', `/api/v1/consent/${consentId}/user`, {
    headers: { 'x-api-key': token, ...headers },
  });
const revoke = ({ token }: { token: string }, consentId: string) =>
  harness.request('DELETE', `/api/v1/consent/${consentId}`, { headers: { 'x-api-key': token } });
const auditOf = async (consentId: string) =>
  (await sql(`select action, actor_kind, actor_id, after from audit_log where subject = $1 order by id`, [
    `consent:${consentId}`,
  ])) as { action: string; actor_kind: string; actor_id: string; after: Record<string, unknown> }[];

/** A user with all fields, with numbers that must appear in answers and nowhere else. */
async function makePerson() {
  const mark = randomUUID().slice(0, 8);
  const documentNumber = noteSecret(`DOC-${mark}`);
  const taxId = noteSecret(`TAX-${mark}`);
  const email = `ana-${mark}@example.com`;
  const { id } = await makeUser(harness, {
    email,
    emailVerified: true,
    givenName: 'Ana',
    familyName: 'Ribeiro',
    legalName: 'Ana Ribeiro ME',
    entityType: 'business',
    documentType: 'passport',
    documentNumber,
    taxId,
  });
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  await sql('delete from user_wallets where address = $1', [address.toLowerCase()]);
  for (const network of ['polygon', 'base', 'ethereum'])
    await addWallet(harness.operatorContext(), { userId: id, network, address, custody: 'platform' });
  const data = {
    profile: { name: 'Ana Ribeiro', given_name: 'Ana', family_name: 'Ribeiro' },
    email: { address: email, verified: true },
    wallet: {
      addresses: [
        { chain: 'base', address },
        { chain: 'polygon', address },
      ],
      is_business: true,
    },
    kyc: {
      email,
      entity_type: 'business',
      first_name: 'Ana',
      last_name: 'Ribeiro',
      legal_name: 'Ana Ribeiro ME',
      document_type: 'passport',
      document_number: documentNumber,
      tax_id: taxId,
    },
  };
  return { id, data };
}

const everyField = [
  'profile.name',
  'profile.given_name',
  'profile.family_name',
  'email.address',
  'email.verified',
  'wallet.addresses',
  'wallet.is_business',
  'kyc.email',
  'kyc.entity_type',
  'kyc.first_name',
  'kyc.last_name',
  'kyc.legal_name',
  'kyc.document_type',
  'kyc.document_number',
  'kyc.tax_id',
];

test('200: every field of the contract, and nothing else', async () => {
  const integration = await makeIntegration(harness);
  const person = await makePerson();
  const consent = await makeConsent(harness, integration, { userId: person.id });
  const { status, headers, body } = await read(integration, consent.id);
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.deepEqual(body, {
    consent_id: consent.id,
    integration_id: integration.id,
    granted_at: consent.decidedAt!.toISOString(),
    scopes: ['profile', 'email', 'wallet', 'kyc'],
    user: person.data,
  });
});

const scopeNames: ConsentScope[] = ['profile', 'email', 'wallet', 'kyc'];
const combinations = Array.from({ length: 15 }, (_, at) =>
  scopeNames.filter((_scope, bit) => ((at + 1) >> bit) & 1),
);

for (const scopes of combinations) {
  test(`200: only ${scopes.join(', ')}, asked for, chosen among more, or left after a reduction`, async () => {
    const integration = await makeIntegration(harness);
    const person = await makePerson();
    const wanted = Object.fromEntries(scopes.map((scope) => [scope, person.data[scope]]));
    const asked = await makeConsent(harness, integration, {
      userId: person.id,
      scopes: [...scopes].reverse(),
    });

    const optionalScopes = scopeNames.filter((scope) => scope !== scopes[0]);
    const { linkToken } = await makeConsentRequest(harness, integration, { optionalScopes });
    const owner = userContextOf(harness, person.id);
    await openConsentLink(owner, { linkToken });
    const { consent: chosen } = await decideConsent(owner, { linkToken, decision: 'grant', scopes });

    const reduced = await makeConsent(harness, integration, { userId: person.id });
    const patched = await harness.request('PATCH', `/api/v1/consent/${reduced.id}`, {
      headers: { 'x-api-key': integration.token },
      body: { scopes },
    });
    assert.deepEqual([patched.status, patched.body.scopes], [200, scopes]);

    for (const { id } of [asked, chosen, reduced]) {
      const { status, body } = await read(integration, id);
      assert.equal(status, 200);
      assert.deepEqual(body.scopes, scopes);
      assert.deepEqual(body.user, wanted);
    }
  });
}

test('200: what is not known of a user is empty, a legal name null, wallets none', async () => {
  const integration = await makeIntegration(harness);
  const { id: userId } = await makeUser(harness, {
    documentType: null,
    documentNumber: null,
    taxId: null,
    legalName: null,
  });
  const { id } = await makeConsent(harness, integration, { userId });
  const { status, body } = await read(integration, id);
  assert.equal(status, 200);
  const { document_type, document_number, tax_id, legal_name, entity_type } = body.user.kyc;
  assert.deepEqual([document_type, document_number, tax_id, legal_name], ['', '', '', null]);
  assert.deepEqual([entity_type, body.user.wallet], ['individual', { addresses: [], is_business: false }]);
});

test('200: the data as it is at the read, not as it was when it was granted', async () => {
  const integration = await makeIntegration(harness);
  const { id, userId } = await makeConsent(harness, integration);
  await harness.operator('users.update', { userId, givenName: 'Renamed' });
  assert.equal((await read(integration, id)).body.user.profile.name, 'Renamed Person');
});

test('200: an id in upper case is the same id', async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration);
  assert.equal((await read(integration, id.toUpperCase())).body.consent_id, id);
});

test('each read is logged: integration, key, time, fields, address; to the audit log, the operator and the user, without a value', async () => {
  const integration = await makeIntegration(harness);
  const person = await makePerson();
  const { id } = await makeConsent(harness, integration, { userId: person.id });
  await read(integration, id, { 'x-forwarded-for': '203.0.113.7' });
  await harness.request('PATCH', `/api/v1/consent/${id}`, {
    headers: { 'x-api-key': integration.token },
    body: { scopes: ['email'] },
  });
  const { body: rotated } = await harness.operator('integrations.rotate-key', {
    integrationId: integration.id,
  });
  const successor = rotated.data as { keyId: string; token: string };
  noteSecret(successor.token.split('_')[2]!);
  await read(successor, id, { 'x-forwarded-for': '2001:db8::7' });

  const { body } = await harness.operator('consents.reads', { consentId: id });
  const [second, first] = body.data.items;
  assert.equal(body.data.items.length, 2);
  for (const item of [first, second]) {
    assert.deepEqual([item.consentId, item.integrationId, item.userId], [id, integration.id, person.id]);
    assert.ok(Math.abs(Date.parse(item.readAt) - harness.deps.clock().getTime()) < 10_000);
  }
  assert.deepEqual([first.keyId, second.keyId], [integration.keyId, successor.keyId]);
  assert.deepEqual([first.address, first.fields], ['203.0.113.7', everyField]);
  assert.deepEqual([second.address, second.fields], ['2001:db8::7', ['email.address', 'email.verified']]);

  const reads = (await auditOf(id)).filter(({ action }) => action === 'consents.read');
  assert.deepEqual(
    reads.map(({ actor_kind, actor_id, after }) => [actor_kind, actor_id, after]),
    [
      [
        'integration',
        integration.id,
        { keyId: integration.keyId, fields: everyField, address: '203.0.113.7' },
      ],
      [
        'integration',
        integration.id,
        { keyId: successor.keyId, fields: ['email.address', 'email.verified'], address: '2001:db8::7' },
      ],
    ],
  );
  const everything = JSON.stringify([await auditOf(id), body]);
  for (const number of [person.data.kyc.document_number, person.data.kyc.tax_id])
    assert.ok(!everything.includes(number));
});

test('500: nothing is given where the read cannot be logged', async () => {
  const integration = await makeIntegration(harness);
  for (const table of ['consent_reads', 'audit_log']) {
    const { id } = await makeConsent(harness, integration, { duration: { kind: 'one-time' } });
    await sql(`create or replace function fail() returns trigger language plpgsql as $$
      begin raise exception 'the disk is full'; end $$`);
    await sql(`create trigger fail before insert on ${table} for each row execute function fail()`);
    const refused = await read(integration, id);
    await sql(`drop trigger fail on ${table}`);
    assert.deepEqual([refused.status, refused.body.error], [500, 'Internal error']);
    assert.equal(refused.body.user, undefined);
    assert.equal((await read(integration, id)).status, 200, 'and the one time was not used up');
  }
});

test('the document number and the tax id are opened by a read that has the scope, and by nothing else', async () => {
  const integration = await makeIntegration(harness);
  const person = await makePerson();
  let opened = 0;
  const { sealer } = harness.deps;
  const counting = {
    ...sealer,
    open: (place: string, sealed: Buffer) => {
      opened += 1;
      return sealer.open(place, sealed);
    },
  };
  const { linkToken } = await makeConsentRequest(harness, integration);
  const owner = { ...userContextOf(harness, person.id), sealer: counting };
  const { shared } = await openConsentLink(owner, { linkToken });
  assert.deepEqual(shared, {
    ...person.data,
    kyc: { ...person.data.kyc, document_number: '••••••', tax_id: '••••••' },
  });
  const { consent } = await decideConsent(owner, { linkToken, decision: 'grant' });
  const reader = { ...integrationContextOf(harness, integration), sealer: counting };
  const { id: withoutKyc } = await makeConsent(harness, integration, {
    userId: person.id,
    scopes: ['profile', 'email', 'wallet'],
  });
  await readConsentedData(reader, { consentId: withoutKyc, address: '127.0.0.1' });
  assert.equal(opened, 0);
  await readConsentedData(reader, { consentId: consent.id, address: '127.0.0.1' });
  assert.equal(opened, 2);
});

test('403: a consent of a different integration, whatever its state', async () => {
  const [own, other] = [await makeIntegration(harness), await makeIntegration(harness)];
  const granted = await makeConsent(harness, other);
  const revoked = await makeConsent(harness, other);
  await revoke(other, revoked.id);
  const { consent: awaiting } = await makeConsentRequest(harness, other);
  for (const { id } of [granted, revoked, awaiting]) {
    const { status, body } = await read(own, id);
    const { requestId, ...rest } = body;
    assert.equal(status, 403);
    assert.deepEqual(rest, { error: 'Consent belongs to a different integration', code: 'foreign_consent' });
    assert.ok(requestId);
  }
  assert.equal(
    (await harness.operator('consents.reads', { integrationId: other.id })).body.data.items.length,
    0,
  );
});

for (const id of [
  randomUUID(),
  'x',
  '%20',
  `{${randomUUID()}}`,
  randomUUID().replaceAll('-', ''),
  `urn:uuid:${randomUUID()}`,
  "'; select 1; --",
  '%00',
  '..',
  `${randomUUID()}%20`,
  '0'.repeat(100),
]) {
  test(`404: ${id}`, async () => {
    const { status, body } = await read(await makeIntegration(harness), id);
    if (id === '..') return assert.equal(status, 404);
    assert.deepEqual([status, body.error, body.code], [404, 'Consent not found', 'consent_not_found']);
  });
}

test('404: a consent that the user has not decided, or refused', async () => {
  const integration = await makeIntegration(harness);
  const { consent, linkToken } = await makeConsentRequest(harness, integration);
  const owner = userContextOf(harness, (await makeUser(harness)).id);
  const expectNotFound = async () => {
    const { status, body } = await read(integration, consent.id);
    assert.deepEqual(
      [status, body.error, body.code],
      [404, 'Consent not found: the user has not granted it', 'consent_not_granted'],
    );
  };
  await expectNotFound();
  await openConsentLink(owner, { linkToken });
  await expectNotFound();
  await decideConsent(owner, { linkToken, decision: 'refuse' });
  await expectNotFound();
});

test('410 revoked: { error, revoked_at }, by the integration or an operator', async () => {
  const integration = await makeIntegration(harness);
  for (const by of ['integration', 'operator'] as const) {
    const { id } = await makeConsent(harness, integration);
    if (by === 'integration') await revoke(integration, id);
    else await harness.operator('consents.revoke', { consentId: id });
    const shown = await harness.request('GET', `/api/v1/consent/${id}`, {
      headers: { 'x-api-key': integration.token },
    });
    assert.deepEqual([shown.body.status, shown.body.revoked_by], ['revoked', by]);
    const { status, headers, body } = await read(integration, id);
    const { requestId, ...rest } = body;
    assert.equal(status, 410);
    assert.deepEqual(rest, {
      error: 'Consent was revoked',
      revoked_at: shown.body.revoked_at,
      code: 'consent_revoked',
    });
    assert.equal(headers.get('x-request-id'), requestId);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(body.revoked_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
});

test('410 expired: { error, expired_at }, from that instant on and before the worker has come by', async () => {
  const integration = await makeIntegration(harness);
  const consent = await makeConsent(harness, integration, { duration: { kind: 'days', days: 2 } });
  assert.equal(consent.expiresAt!.getTime() - consent.decidedAt!.getTime(), 2 * dayMs);
  const at = (ms: number) => ({
    ...integrationContextOf(harness, integration),
    now: new Date(consent.expiresAt!.getTime() + ms),
  });
  const address = '127.0.0.1';
  const early = await readConsentedData(at(-1), { consentId: consent.id, address });
  assert.equal(early.consent_id, consent.id);
  await assert.rejects(readConsentedData(at(0), { consentId: consent.id, address }), {
    code: 'consent_expired',
  });
  const [row] = await sql('select status from consents where id = $1', [consent.id]);
  assert.equal(row!.status, 'expired', 'the refused read has moved it');
  await assert.rejects(readConsentedData(at(-1), { consentId: consent.id, address }), {
    code: 'consent_expired',
  });

  const { status, body } = await read(integration, consent.id);
  const { requestId: _requestId, ...rest } = body;
  assert.equal(status, 410);
  assert.deepEqual(rest, {
    error: 'Consent has expired',
    expired_at: consent.expiresAt!.toISOString(),
    code: 'consent_expired',
  });
  const actions = (await auditOf(consent.id)).map(({ action }) => action);
  assert.deepEqual(actions.slice(-2), ['consents.read', 'consents.expire']);
});

test('410 expired: a consent for one time, from the second read on', async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration, { duration: { kind: 'one-time' } });
  assert.equal((await read(integration, id)).status, 200);
  const { status, body } = await read(integration, id);
  assert.deepEqual([status, body.error], [410, 'Consent has expired']);
  const { items } = (await harness.operator('consents.reads', { consentId: id })).body.data;
  assert.deepEqual([items.length, items[0].readAt], [1, body.expired_at]);
  const actions = (await auditOf(id)).map(({ action }) => action);
  assert.deepEqual(actions.slice(-2), ['consents.read', 'consents.expire']);
});

test('405 HEAD: is no read, and uses no consent up', async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration, { duration: { kind: 'one-time' } });
  const headers = { 'x-api-key': integration.token };
  const head = await fetch(`${harness.url}/api/v1/consent/${id}/user`, { method: 'HEAD', headers });
  assert.equal(head.status, 405);
  assert.equal((await read(integration, id)).status, 200);
});

test('200: a consent until revoked does not expire', async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration);
  const inTenYears = new Date(Date.now() + 3_650 * dayMs);
  const ctx = { ...integrationContextOf(harness, integration), now: inTenYears };
  assert.ok((await readConsentedData(ctx, { consentId: id, address: '127.0.0.1' })).user.kyc);
});

test('the order of refusals: key, consent, owner, end, and only then what else is wrong with the request', async () => {
  const [own, other] = [await makeIntegration(harness), await makeIntegration(harness)];
  const mine = await makeConsent(harness, own);
  const foreign = await makeConsent(harness, other);
  const ended = await makeConsent(harness, own);
  await revoke(own, ended.id);
  const call = (integration: RegisteredIntegration | null, id: string, method = 'PATCH') =>
    harness.request(method, `/api/v1/consent/${id}?what=else`, {
      headers: integration ? { 'x-api-key': integration.token } : {},
      ...(method === 'PATCH' && { body: '{"half' }),
    });
  assert.equal((await call(null, mine.id)).status, 401);
  assert.equal((await call(own, 'x')).status, 404);
  assert.equal((await call(own, foreign.id)).status, 403);
  assert.equal((await call(own, ended.id)).status, 410);
  assert.equal((await call(own, mine.id)).status, 400);
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await call(own, 'x', method)).status, 404);
    assert.equal((await call(own, foreign.id, method)).status, 403);
    assert.equal((await call(own, mine.id, method)).status, 400);
  }
});

test('the order of refusals: an ended or never granted consent is refused before a bad query, on each method', async () => {
  const integration = await makeIntegration(harness);
  const revoked = await makeConsent(harness, integration);
  const { body: state } = await revoke(integration, revoked.id);
  const used = await makeConsent(harness, integration, { duration: { kind: 'one-time' } });
  await read(integration, used.id);
  const lapsed = await makeConsent(harness, integration, { duration: { kind: 'days', days: 1 } });
  const { consent: awaiting } = await makeConsentRequest(harness, integration);
  harness.advance(dayMs);
  const call = (method: string, path: string) =>
    harness.request(method, `/api/v1/consent/${path}?x=1`, {
      headers: { 'x-api-key': integration.token },
      ...(method === 'PATCH' && { body: { scopes: ['nothing'] } }),
    });
  for (const [method, suffix] of [
    ['GET', '/user'],
    ['PATCH', ''],
    ['DELETE', ''],
  ] as const) {
    const codeOf = async ({ id }: { id: string }) => {
      const { status, body } = await call(method, id + suffix);
      return `${status} ${body.code}`;
    };
    if (method !== 'DELETE') assert.equal(await codeOf(revoked), '410 consent_revoked');
    assert.equal(await codeOf(used), '410 consent_expired');
    assert.equal(await codeOf(lapsed), '410 consent_expired');
    assert.equal(await codeOf(awaiting), '404 consent_not_granted');
  }
  const again = await call('DELETE', revoked.id);
  assert.deepEqual([again.status, again.body], [200, state], 'revoked already is no error');
  for (const { id } of [revoked, used, lapsed, awaiting])
    assert.equal((await call('GET', id)).status, 400, 'any of them can be seen');
});
