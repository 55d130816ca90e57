import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, test } from 'node:test';
import { signInStaff } from '#test/callers/staff-session';
import { makeAddress, makeKey, makeUser, makeWithdrawal } from '#test/data/factories';
import { type RequestOptions, useHarness } from '#test/harness';
import { publish } from '#test/worlds/rules';

const harness = useHarness();
const everything = { name: 'Everything', verdict: 'allow' } as const;

afterEach(async () => {
  await publish(harness, []);
});

/** A partner with a key, an allowed user and people. */
async function makeTeam() {
  const key = await makeKey(harness);
  const at = (role: string) => signInStaff(harness, { role, partnerId: key.partnerId });
  return { key, userId: key.userId, partnerId: key.partnerId, at };
}

const pay = (userId: string, options: RequestOptions, fields: object = {}) =>
  harness.request('POST', `/api/crypto/${userId}/withdraw`, {
    body: { amount: '1', to: makeAddress(), ...fields },
    ...options,
  });
const payBulk = (userId: string, headers: Record<string, string>, withdrawals: object[]) =>
  harness.request('POST', `/api/crypto/${userId}/withdrawals/bulk`, { headers, body: { withdrawals } });

const storedOf = (bulkId: string) =>
  harness.deps.db.query<{ id: string; keyId: string; status: string }>(
    'select id, key_id as "keyId", status from withdrawals where bulk_id = $1',
    [bulkId],
  );

const makeStale = (personId: string) =>
  harness.deps.db.query(
    `update person_sessions set asserted_at = now() - interval '6 minutes' where person_id = $1`,
    [personId],
  );

test('200 finance and owner create withdrawals, alone and in bulk; the record says who', async () => {
  const { userId, at } = await makeTeam();
  for (const role of ['finance', 'owner']) {
    const { person, headers } = await at(role);
    const { status, body } = await pay(userId, { headers }, { externalId: 'rent' });
    assert.equal(status, 200, body.error);
    assert.deepEqual(body, {
      message: 'Withdrawal created as queued',
      data: { bulkId: body.data.bulkId, externalId: 'rent' },
    });
    const bulk = await payBulk(userId, headers, [
      { amount: '1', to: makeAddress() },
      { amount: '2', to: makeAddress() },
    ]);
    assert.equal(bulk.status, 200, bulk.body.error);
    const rows = [...(await storedOf(body.data.bulkId)), ...(await storedOf(bulk.body.data.bulkId))];
    assert.deepEqual(
      rows.map(({ keyId }) => keyId),
      Array(3).fill(`person:${person.id}`),
    );
    const shown = await harness.operator('withdrawals.show', { withdrawalId: rows[0]!.id });
    assert.equal(shown.body.data.keyId, `person:${person.id}`);
    const audit = await harness.operator('audit.list', {
      actor: person.id,
      action: 'withdrawals.create',
      limit: 10,
    });
    assert.deepEqual(
      audit.body.data.items.map((item: Record<string, unknown>) => [item.actorKind, item.actorId]),
      Array(3).fill(['person', person.id]),
    );
  }
});

test('403 without the token of the session, for other roles, other staff, and without a fresh passkey', async () => {
  const { userId, at } = await makeTeam();
  const { person, headers } = await at('finance');
  const refused = async (given: Record<string, string>, code: string, status = 403) => {
    const one = await pay(userId, { headers: given });
    const many = await payBulk(userId, given, [{ amount: '1', to: makeAddress() }]);
    for (const { status: got, body } of [one, many]) assert.deepEqual([got, body.code], [status, code]);
  };
  await refused({ cookie: headers.cookie! }, 'foreign_request');
  await refused({ ...headers, 'sec-fetch-site': 'cross-site' }, 'foreign_request');
  await refused((await at('developer')).headers, 'other_staff_role');
  await refused((await signInStaff(harness, { role: 'admin' })).headers, 'not_partner_staff');
  await makeStale(person.id);
  await refused(headers, 'step_up_required');
  await harness.operator('people.remove', { personId: person.id });
  await refused(headers, 'not_signed_in', 401);
});

test('401 and 404 only for users on the partner’s list, as for keys', async () => {
  const { userId, partnerId, at } = await makeTeam();
  const { headers } = await at('owner');
  const { id: stranger } = await makeUser(harness);
  const read = (path: string) => harness.request('GET', path, { headers });
  for (const [id, status, error] of [
    [stranger, 401, 'User not allowed'],
    [randomUUID(), 404, 'User not found'],
  ] as const) {
    for (const { status: got, body } of [
      await pay(id, { headers }),
      await read(`/api/crypto/${id}/withdraws`),
      await read(`/api/limits?userId=${id}`),
    ])
      assert.deepEqual([got, body.error], [status, error]);
  }
  await harness.operator('partners.disallow-user', { partnerId, userId });
  assert.equal((await pay(userId, { headers })).status, 401);
});

test('200 every role reads; with a key the cookie is ignored, and cookies of others say nothing', async () => {
  const { key, userId, at } = await makeTeam();
  await makeWithdrawal(harness, key, { externalId: 'by key' });
  for (const role of ['developer', 'finance', 'owner']) {
    const { cookie } = (await at(role)).headers;
    const read = (path: string) => harness.request('GET', path, { headers: { cookie: cookie! } });
    const list = await read(`/api/crypto/${userId}/withdraws`);
    assert.equal(list.body.data.withdraws[0].externalId, 'by key');
    assert.ok((await read('/api/crypto/assets')).body.data.assets.length > 0);
    assert.deepEqual((await read(`/api/limits?userId=${userId}`)).body.data, { hasRules: false, limits: [] });
    const unnamed = await read('/api/limits');
    assert.deepEqual([unnamed.status, unnamed.body.error], [400, 'userId is required by session']);
  }
  const developer = (await at('developer')).headers;
  const both = await pay(userId, { token: key.token, headers: { cookie: developer.cookie! } });
  assert.equal(both.status, 200);
  assert.equal((await storedOf(both.body.data.bulkId))[0]!.keyId, key.id);
  const other = await pay(userId, { headers: { cookie: 'lb=7' } });
  assert.deepEqual([other.status, other.body.error], [401, 'Unauthorized']);
});

test('200 an idempotency key holds for the partner: another person or key gets the first answer', async () => {
  const { key, userId, at } = await makeTeam();
  const [one, other] = [await at('finance'), await at('owner')];
  const named = { 'idempotency-key': randomUUID() };
  const fields = { to: makeAddress() };
  const first = await pay(userId, { headers: { ...one.headers, ...named } }, fields);
  const second = await pay(userId, { headers: { ...other.headers, ...named } }, fields);
  const third = await pay(userId, { token: key.token, headers: named }, fields);
  assert.deepEqual([second.body, third.body], [first.body, first.body]);
  assert.equal(second.headers.get('idempotency-replayed'), 'true');
  assert.equal((await storedOf(first.body.data.bulkId)).length, 1);
});

test('rules that name keys do not match people; a sum per key is one of each person', async () => {
  const { key, userId, partnerId, at } = await makeTeam();
  const [one, other] = [await at('finance'), await at('finance')];
  await publish(harness, [
    { name: 'Own key', verdict: 'allow', keys: [key.id] },
    { name: 'Others', verdict: 'allow', amount: { upTo: '5' } },
    {
      name: 'Per key',
      verdict: 'deny',
      partners: [partnerId],
      sum: { over: '8', window: 'day', per: 'key' },
    },
  ]);
  assert.equal((await pay(userId, { token: key.token }, { amount: '6' })).status, 200);
  assert.equal((await pay(userId, { headers: one.headers }, { amount: '6' })).status, 403);
  for (const { headers } of [one, other]) {
    assert.equal((await pay(userId, { headers }, { amount: '5' })).status, 200);
    const limits = await harness.request('GET', `/api/limits?userId=${userId}`, { headers });
    const usdt = limits.body.data.limits.find(({ currency }: { currency: string }) => currency === 'USDT');
    assert.deepEqual([usdt.per, usdt.used, usdt.remaining], ['key', '5', '3']);
    const { status, body } = await pay(userId, { headers }, { amount: '4' });
    assert.deepEqual([status, body.details[0].message], [403, 'The rule “Per key” denies it']);
  }
  await publish(harness, [everything]);
});

test('429 people share the allowance of the partner with its keys', async () => {
  const { key, userId, at } = await makeTeam();
  const { headers } = await at('finance');
  const remaining = (answer: { headers: Headers }) =>
    Number(/;r=(\d+)/.exec(answer.headers.get('ratelimit')!)![1]);
  const before = remaining(await pay(userId, { token: key.token }));
  const after = remaining(await pay(userId, { headers }));
  assert.equal(after, before - 1);
});
