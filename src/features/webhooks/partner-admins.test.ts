import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey, makeLines, makeUser } from '#test/factories';
import { networksWithoutNodes, noteSecret, type RequestOptions, useHarness } from '#test/harness';
import { numberAll } from '#test/number-events';
import { signInStaff } from '#test/staff-session';

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
  const { headers } = await signInStaff(harness, { role: 'developer', partnerId });
  return { one, other, managers: { key: { token: admin.token }, session: { headers } }, partnerId };
}

for (const by of ['key', 'session'] as const) {
  test(`by ${by}: all endpoints of the partner are listed, changed, tested and deleted`, async () => {
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
    const changed = await call('PATCH', `/${id}`, { ...manager, body: { enabled: false } });
    assert.deepEqual([changed.status, changed.body.disabledReason], [200, 'owner']);
    await call('PATCH', `/${id}`, { ...manager, body: { enabled: true } });
    assert.equal((await call('POST', `/${id}/test`, manager)).status, 200);
    assert.equal((await call('POST', `/${id}/rotate-secret`, manager)).status, 200);
    assert.equal((await call('DELETE', `/${id}`, manager)).status, 200);
    assert.equal((await call('GET', `/${id}`, other)).status, 404);
  });

  test(`by ${by}: an endpoint for all users, or one of them, receives events about their accounts`, async () => {
    const { one, other, managers } = await makeWorld();
    const manager = managers[by];
    const all = await create(manager, { allUsers: true });
    assert.deepEqual([all.status, all.body.allUsers, all.body.userId], [201, true, null], all.body.error);
    const chosen = await create(manager, { userId: other.userId });
    assert.deepEqual([chosen.body.allUsers, chosen.body.userId], [false, other.userId]);
    for (const { userId } of [one, other]) await makeLines(harness, userId, [{}]);
    await numberAll(harness);
    const received = async (id: string) =>
      (await call('GET', `/${id}/deliveries`, manager)).body.items.length;
    assert.deepEqual([await received(all.body.id), await received(chosen.body.id)], [2, 1]);
    assert.equal((await call('DELETE', `/${all.body.id}`, one)).body.code, 'managed_by_operator');
    assert.equal((await call('DELETE', `/${all.body.id}`, manager)).status, 200);
  });

  test(`by ${by}: 403 a user who is not on the list, 404 endpoints of another partner`, async () => {
    const { managers } = await makeWorld();
    const stranger = await create(managers[by], { userId: (await makeUser(harness)).id });
    assert.deepEqual([stranger.status, stranger.body.code], [403, 'not_your_user']);
    const foreign = await create(await makeKey(harness));
    assert.equal((await call('GET', `/${foreign.body.id}`, managers[by])).status, 404);
    assert.equal((await call('DELETE', `/${foreign.body.id}`, managers[by])).status, 404);
  });
}

test('by default an endpoint of a key has its user, and one of a session has none', async () => {
  const { one, managers } = await makeWorld();
  assert.equal((await create(managers.key)).body.userId, one.userId);
  assert.equal((await create(managers.session)).body.userId, null);
});

test('403 an ordinary key names no user, not even its own, and not all', async () => {
  const { one } = await makeWorld();
  for (const fields of [{ userId: one.userId }, { allUsers: true }]) {
    const { status, body } = await create(one, fields);
    assert.deepEqual([status, body.code], [403, 'admins_choose']);
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
