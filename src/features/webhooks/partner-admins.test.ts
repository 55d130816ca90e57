import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInStaff } from '#test/callers/staff-session';
import { makeKey, makeLines, makeUser } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { networksWithoutNodes, noteSecret, type RequestOptions, useHarness } from '#test/harness';

const harness = useHarness({
  networks: networksWithoutNodes(),
  outgoing: { allowsLoopbackHttp: true, ports: [443, 8443], allowedBlocks: [] },
});
const url = 'https://hooks.example.com/in';

async function call(method: string, path: string, options: RequestOptions) {
  const answer = await harness.request(method, `/api/webhooks/endpoints${path}`, options);
  if (answer.body.secret) noteSecret(answer.body.secret.slice('whsec_'.length));
  return answer;
}
const create = (options: RequestOptions, fields: object = {}) =>
  call('POST', '', { ...options, body: { url, ...fields } });

/** A partner with two users, an ordinary key of each, and who manages it. */
async function makeWorld() {
  const one = await makeKey(harness, { scopes: ['webhooks:manage'] });
  const { partnerId } = one;
  const other = await makeKey(harness, { partnerId, scopes: ['webhooks:manage'] });
  const admin = await makeKey(harness, { partnerId, userId: one.userId, scopes: ['partner:admin'] });
  const scopes = ['partner:admin', 'events:read'];
  const wide = await makeKey(harness, { partnerId, userId: one.userId, scopes });
  const { headers } = await signInStaff(harness, { role: 'developer', partnerId });
  return { one, other, managers: { key: { token: admin.token }, session: { headers } }, wide, partnerId };
}

for (const by of ['key', 'session'] as const) {
  test(`by ${by}: all endpoints of the partner are listed, tested, disabled and deleted`, async () => {
    const { one, other, managers } = await makeWorld();
    const manager = managers[by];
    const [first, second] = [await create(one), await create(other)];
    const listed = await call('GET', '', manager);
    assert.deepEqual(
      listed.body.items.map(({ id }: { id: string }) => id),
      [first.body.id, second.body.id],
    );
    const { id } = second.body;
    assert.equal((await call('GET', `/${id}`, manager)).status, 200);
    assert.equal((await call('POST', `/${id}/test`, manager)).status, 200);
    const changed = await call('PATCH', `/${id}`, { ...manager, body: { enabled: false } });
    assert.deepEqual([changed.status, changed.body.disabledReason], [200, 'owner']);
    assert.equal((await call('DELETE', `/${id}`, manager)).status, 200);
    assert.equal((await call('GET', `/${id}`, other)).status, 404);
  });

  test(`by ${by}: 404 endpoints of another partner`, async () => {
    const { managers } = await makeWorld();
    const foreign = await create(await makeKey(harness));
    assert.equal((await call('GET', `/${foreign.body.id}`, managers[by])).status, 404);
    assert.equal((await call('DELETE', `/${foreign.body.id}`, managers[by])).status, 404);
  });
}

test('by session: an endpoint for all users, or one of them, receives events about their accounts', async () => {
  const { one, other, managers } = await makeWorld();
  const { session, key } = managers;
  const all = await create(session, { allUsers: true });
  assert.deepEqual([all.status, all.body.allUsers, all.body.userId], [201, true, null], all.body.error);
  const chosen = await create(session, { userId: other.userId });
  assert.deepEqual([chosen.body.allUsers, chosen.body.userId], [false, other.userId]);
  for (const { userId } of [one, other]) await makeLines(harness, userId, [{}]);
  await numberAll(harness);
  const received = async (id: string, reader: RequestOptions = session) =>
    (await call('GET', `/${id}/deliveries`, reader)).body.items.length;
  assert.deepEqual([await received(all.body.id), await received(chosen.body.id)], [2, 1]);
  assert.deepEqual([await received(all.body.id, key), await received(chosen.body.id, key)], [1, 0]);
  assert.equal((await call('DELETE', `/${all.body.id}`, one)).body.code, 'managed_by_operator');
  assert.equal((await call('DELETE', `/${all.body.id}`, key)).status, 200);
});

test('by session: endpoints of all users are changed, and 403 a user who is not on the list', async () => {
  const { other, managers } = await makeWorld();
  const { session } = managers;
  const { id } = (await create(other)).body;
  assert.equal((await call('PATCH', `/${id}`, { ...session, body: { url: `${url}/2` } })).status, 200);
  assert.equal((await call('POST', `/${id}/rotate-secret`, session)).status, 200);
  const stranger = await create(session, { userId: (await makeUser(harness)).id });
  assert.deepEqual([stranger.status, stranger.body.code], [403, 'not_your_user']);
});

test('403 a key with partner:admin directs no events of other users anywhere', async () => {
  const { other, managers, wide } = await makeWorld();
  const all = (await create(managers.session, { allUsers: true })).body.id;
  for (const id of [all, (await create(other)).body.id]) {
    const answers = [
      await call('PATCH', `/${id}`, { ...wide, body: { url: 'https://thief.example.com' } }),
      await call('PATCH', `/${id}`, { ...wide, body: { enabled: false, url: 'https://thief.example.com' } }),
      await call('PATCH', `/${id}`, { ...wide, body: { enabled: true, replayMissed: true } }),
      await call('POST', `/${id}/rotate-secret`, wide),
      await call('POST', `/${id}/replay`, { ...wide, body: { startDate: '2020-01-01T00:00:00Z' } }),
    ];
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      answers.map(() => [403, 'people_decide']),
    );
  }
});

test('403 a key with only partner:admin has no endpoint that receives, not even of its user', async () => {
  const { one, managers, wide } = await makeWorld();
  const { id } = (await create(one)).body;
  await call('POST', `/${id}/test`, one);
  await numberAll(harness);
  const [delivery] = (await call('GET', `/${id}/deliveries`, one)).body.items;
  const tries = (caller: RequestOptions) => [
    () => create(caller),
    () => call('PATCH', `/${id}`, { ...caller, body: { url } }),
    () => call('POST', `/${id}/rotate-secret`, caller),
    () => call('POST', `/${id}/replay`, { ...caller, body: { startDate: '2020-01-01T00:00:00Z' } }),
    () => call('GET', `/${id}/deliveries/${delivery.id}`, caller),
  ];
  for (const attempt of tries(managers.key)) assert.equal((await attempt()).body.code, 'scope_missing');
  for (const attempt of tries(wide)) assert.ok((await attempt()).status < 300, 'with events:read');
});

test('by default an endpoint of a key has its user, and one of a session has none', async () => {
  const { one, managers, wide } = await makeWorld();
  for (const key of [one, wide]) assert.equal((await create(key)).body.userId, one.userId);
  assert.equal((await create(managers.session)).body.userId, null);
});

test('403 a key names all users or another user; its own is what it has anyway', async () => {
  const { one, other, wide } = await makeWorld();
  for (const caller of [one, wide]) {
    for (const fields of [{ userId: other.userId }, { allUsers: true }]) {
      const { status, body } = await create(caller, fields);
      assert.deepEqual([status, body.code], [403, 'admins_choose']);
    }
    assert.equal((await create(caller, { userId: one.userId.toUpperCase() })).body.userId, one.userId);
  }
});

test('403 a session of finance, one without its token, and a change without confirmation', async () => {
  const { partnerId, managers } = await makeWorld();
  const finance = await signInStaff(harness, { role: 'finance', partnerId });
  assert.equal((await call('GET', '', finance)).body.code, 'other_staff_role');
  const { headers } = managers.session;
  assert.equal((await create({ headers: { cookie: headers.cookie! } })).body.code, 'foreign_request');
  const { body } = await create(managers.session);
  harness.advance(6 * 60_000);
  assert.equal((await create(managers.session)).body.code, 'step_up_required');
  assert.equal((await call('POST', `/${body.id}/rotate-secret`, managers.session)).status, 403);
  assert.equal((await call('DELETE', `/${body.id}`, managers.session)).status, 200, 'it only stops');
});

test('the audit log has the person', async () => {
  const { partnerId } = await makeWorld();
  const { headers, person } = await signInStaff(harness, { role: 'owner', partnerId });
  const { body } = await create({ headers });
  const log = await harness.operator('audit.list', { subject: `webhook:${body.id}` });
  assert.deepEqual(
    log.body.data.items.map((row: Record<string, string>) => [row.actorKind, row.actorId]),
    [['person', person.id]],
  );
});
