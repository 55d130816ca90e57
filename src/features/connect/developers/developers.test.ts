import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { signInStaff } from '#test/callers/staff-session';
import { makeConsent, makeConsentRequest, makeIntegration, makePartner } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { networksWithoutNodes, noteSecret, type RequestOptions, useHarness } from '#test/harness';

const harness = useHarness({ networks: networksWithoutNodes() });
const url = 'https://hooks.example.com/in';
const endpoints = '/api/v1/webhooks/endpoints';

async function makeWorld(role = 'owner') {
  const integration = await makeIntegration(harness);
  const { headers, person } = await signInStaff(harness, { role, integrationId: integration.id });
  const call = async (method: string, path: string, options: RequestOptions = {}) => {
    const answer = await harness.request(method, path, {
      ...options,
      headers: { ...headers, ...options.headers },
    });
    if (answer.body.secret) noteSecret(answer.body.secret.slice('whsec_'.length));
    if (answer.body.token) noteSecret(answer.body.token.split('_')[2]);
    return answer;
  };
  return { integration, headers, person, call };
}

/** Counts are written after the answer. */
async function until<T>(read: () => Promise<T>, isDone: (read: T) => boolean): Promise<T> {
  for (let left = 200; ; left -= 1) {
    const found = await read();
    if (isDone(found) || left === 0) return found;
    await wait(25);
  }
}

test('200 GET /api/integration: terms and keys with their last use, of the own integration only', async () => {
  const [one, other] = [await makeWorld(), await makeWorld('developer')];
  const headers = { 'x-api-key': one.integration.token };
  await harness.request('GET', '/api/v1/events', { headers });
  const lastUsed = ({ body }: { body: { keys: { lastUsedAt: string | null }[] } }) =>
    body.keys[0]!.lastUsedAt;
  const { status, body } = await until(
    () => one.call('GET', '/api/integration'),
    (shown) => lastUsed(shown as never) !== null,
  );
  assert.equal(status, 200);
  const { keyId, token: _, ...terms } = one.integration;
  assert.deepEqual(
    body.keys.map(({ id }: { id: string }) => id),
    [keyId],
  );
  assert.ok(body.keys[0].lastUsedAt);
  assert.deepEqual({ ...body, keys: [] }, { ...terms, keys: [] });
  const foreign = await other.call('GET', '/api/integration');
  assert.deepEqual([foreign.body.id, foreign.body.keys[0].lastUsedAt], [other.integration.id, null]);
});

for (const role of ['owner', 'developer']) {
  test(`201 ${role} replaces the key: shown once, audited, the old one works until the overlap ends`, async () => {
    const { integration, call, person } = await makeWorld(role);
    const { status, body, headers } = await call('POST', '/api/integration/rotate-key', {
      body: { overlapHours: 1 },
    });
    assert.deepEqual([status, headers.get('cache-control')], [201, 'no-store'], body.error);
    for (const token of [integration.token, body.token])
      assert.equal(
        (await harness.request('GET', '/api/v1/events', { headers: { 'x-api-key': token } })).status,
        200,
      );
    const again = await call('POST', '/api/integration/rotate-key', { body: { overlapHours: 0 } });
    assert.equal(again.status, 201);
    const old = await harness.request('GET', '/api/v1/events', { headers: { 'x-api-key': body.token } });
    assert.equal(old.status, 401);
    const log = await harness.operator('audit.list', { subject: `integration:${integration.id}` });
    const { action, actorKind, actorId } = log.body.data.items[0];
    assert.deepEqual([action, actorKind, actorId], ['integrations.rotate-key', 'person', person.id]);
    const shown = await call('GET', '/api/integration');
    assert.deepEqual(
      shown.body.keys.map(({ id }: { id: string }) => id),
      [again.body.keyId, body.keyId, integration.keyId],
    );
    assert.ok(!JSON.stringify(shown.body).includes(again.body.token));
  });
}

test('403 a change without the token of the session, or a key long after the passkey', async () => {
  const { call, headers, person } = await makeWorld();
  const bare = await harness.request('POST', '/api/integration/rotate-key', {
    headers: { cookie: headers.cookie! },
  });
  assert.deepEqual([bare.status, bare.body.code], [403, 'foreign_request']);
  await harness.deps.db.query(
    `update person_sessions set asserted_at = asserted_at - interval '6 minutes' where person_id = $1`,
    [person.id],
  );
  for (const [method, path, body] of [
    ['POST', '/api/integration/rotate-key', {}],
    ['POST', endpoints, { url }],
  ] as const)
    assert.equal((await call(method, path, { body })).body.code, 'step_up_required', path);
  assert.equal((await call('GET', '/api/integration')).status, 200);
});

test('401 and 403: strangers, keys, and people who work elsewhere', async () => {
  const { integration, call, headers } = await makeWorld();
  const { id: partnerId } = await makePartner(harness);
  const staff = [await signInStaff(harness, {}), await signInStaff(harness, { role: 'owner', partnerId })];
  for (const path of ['/api/integration', '/api/integration/activity', endpoints]) {
    const stranger = await harness.request('GET', path);
    const balanced = await harness.request('GET', path, { headers: { cookie: 'balancer=1' } });
    assert.deepEqual([stranger.status, balanced.status], [401, 401], path);
    assert.equal(balanced.body.error, stranger.body.error, 'the cookie of somebody else says nothing');
    for (const one of staff) {
      const { status, body } = await harness.request('GET', path, { headers: one.headers });
      assert.deepEqual([status, body.code], [403, 'not_integration_staff'], path);
    }
    for (const ignored of [
      ['x-api-key', 'wrong'],
      ['authorization', 'Bearer wrong'],
    ] as const)
      assert.equal(
        (await harness.request('GET', path, { headers: { ...headers, [ignored[0]]: ignored[1] } })).status,
        401,
        path,
      );
  }
  const byKey = { headers: { 'x-api-key': integration.token } };
  assert.equal((await harness.request('GET', '/api/integration', byKey)).status, 401);
  assert.equal((await harness.request('POST', '/api/integration/rotate-key', byKey)).status, 401);
  assert.equal((await call('GET', '/api/integration?more=1')).status, 400);
});

test('401 people of a revoked integration', async () => {
  const { integration, call } = await makeWorld();
  await harness.operator('integrations.revoke', { integrationId: integration.id });
  for (const path of ['/api/integration', '/api/integration/activity', endpoints])
    assert.equal((await call('GET', path)).status, 401, path);
  assert.equal((await call('POST', '/api/integration/rotate-key')).status, 401);
});

test('by session: endpoints are created, tested, replayed, disabled and deleted; those of others do not exist', async () => {
  const [one, other] = [await makeWorld('developer'), await makeWorld()];
  const created = await one.call('POST', endpoints, { body: { url } });
  assert.deepEqual(
    [created.status, created.body.integrationId],
    [201, one.integration.id],
    created.body.error,
  );
  const at = `${endpoints}/${created.body.id}`;
  assert.equal((await one.call('POST', `${at}/test`)).status, 200);
  await numberAll(harness);
  const { body } = await one.call('GET', `${at}/deliveries`);
  const [{ id, eventId }] = body.items;
  assert.equal((await one.call('GET', `${at}/deliveries/${id}`)).status, 200);
  assert.equal((await one.call('POST', `${at}/replay`, { body: { eventId } })).body.queued, 1);
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { enabled: false }],
    ['DELETE', '', undefined],
    ['POST', '/rotate-secret', undefined],
    ['POST', '/test', undefined],
    ['POST', '/replay', { eventId }],
    ['GET', '/deliveries', undefined],
    ['GET', `/deliveries/${id}`, undefined],
  ] as const) {
    const answer = await other.call(method, at + path, { ...(body && { body }) });
    assert.deepEqual([answer.status, answer.body.code], [404, 'endpoint_not_found'], `${method} ${path}`);
  }
  assert.deepEqual((await other.call('GET', endpoints)).body.items, []);
  assert.equal((await one.call('POST', `${at}/rotate-secret`)).status, 200);
  assert.equal((await one.call('PATCH', at, { body: { enabled: false } })).body.disabledReason, 'owner');
  assert.equal((await one.call('DELETE', at)).status, 200);
  const log = await harness.operator('audit.list', { subject: `webhook:${created.body.id}` });
  assert.ok(log.body.data.items.every(({ actorId }: { actorId: string }) => actorId === one.person.id));
});

test('200 activity: consents by state and day, reads and refused reads, of the own integration only', async () => {
  const [one, other] = [await makeWorld(), await makeWorld()];
  const { id } = await makeConsent(harness, one.integration);
  const ended = await makeConsent(harness, one.integration);
  const { consent: awaiting } = await makeConsentRequest(harness, one.integration);
  await harness.operator('consents.revoke', { consentId: ended.id });
  const headers = { 'x-api-key': one.integration.token };
  const read = (consentId: string) =>
    harness.request('GET', `/api/v1/consent/${consentId}/user`, { headers });
  const foreign = await makeConsent(harness, other.integration);
  const statuses: number[] = [];
  for (const consentId of [id, id, ended.id, awaiting.id, foreign.id, 'x'])
    statuses.push((await read(consentId)).status);
  assert.deepEqual(statuses, [200, 200, 410, 404, 403, 404]);
  const { body } = await until(
    () => one.call('GET', '/api/integration/activity'),
    (shown) => shown.body.days[0].refusedReads === 4 && shown.body.days[0].reads === 2,
  );
  assert.deepEqual(body.consents, { awaiting: 1, active: 1, rejected: 0, revoked: 1, expired: 0 });
  assert.equal(body.days.length, 30);
  const { day, ...today } = body.days[0];
  assert.equal(day, new Date().toISOString().slice(0, 10));
  assert.deepEqual(today, { requested: 3, granted: 2, rejected: 0, reads: 2, refusedReads: 4 });
  assert.deepEqual(
    body.readErrors.map(({ code, count }: { code: string; count: number }) => [code, count]),
    [
      ['consent_not_found', 1],
      ['consent_not_granted', 1],
      ['consent_revoked', 1],
      ['foreign_consent', 1],
    ],
  );
  const none = await other.call('GET', '/api/integration/activity');
  assert.deepEqual([none.body.consents.active, none.body.readErrors, none.body.days[0].reads], [1, [], 0]);
});
