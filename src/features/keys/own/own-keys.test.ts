import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKeyBattery } from '#test/callers/battery';
import { signInStaff } from '#test/callers/staff-session';
import { makeKey, makePartner, makeUser } from '#test/data/factories';
import { noteSecret, type RequestOptions, useHarness } from '#test/harness';
import type { IssuedKey } from '../issue-key.ts';

const harness = useHarness();
const adminScopes = ['partner:admin', 'history:read', 'events:read', 'withdrawals:create', 'mcp'];

async function call(method: string, path: string, options: RequestOptions) {
  const answer = await harness.request(method, `/api/keys${path}`, options);
  if (answer.body.token) noteSecret(answer.body.token.split('_')[2]);
  return answer;
}
const issue = (options: RequestOptions, body: object) => call('POST', '', { ...options, body });

const refusals = {
  missing: { status: 401, error: 'Unauthorized' },
  invalid: { status: 401, error: 'Unauthorized' },
  address: { status: 403, error: 'Forbidden: caller address is not on the allowlist of the key' },
};
const none = '/abcdefghijkl2345';
for (const [method, path, body] of [
  ['GET', '', undefined],
  ['POST', '', { name: 'x' }],
  ['GET', none, undefined],
  ['POST', `${none}/rotate`, {}],
  ['POST', `${none}/revoke`, undefined],
] as const) {
  runKeyBattery(harness, {
    title: `${method} /api/keys${path.replace(none, '/…')}`,
    call: (options) => call(method, path, { ...options, ...(body && { body }) }),
    refusals,
  });
}

/** A key that may manage its partner. */
const makeAdmin = (terms: Parameters<typeof makeKey>[1] = {}) =>
  makeKey(harness, { scopes: adminScopes, ...terms });

/** People of a new partner with one allowed user. */
async function makeTeam() {
  const { partnerId, userId } = await makeKey(harness);
  const at = (role: string) => signInStaff(harness, { role, partnerId });
  return { partnerId, userId, at };
}

const works = async ({ token }: Pick<IssuedKey, 'token'>) =>
  (await harness.request('GET', '/api/crypto/assets', { token })).status === 200;

test('a key issues, lists, shows, rotates and revokes keys of its partner; the log and the feed say so', async () => {
  const admin = await makeAdmin();
  const { token } = admin;
  const { status, body, headers } = await issue({ token }, { name: 'Reports', scopes: ['history:read'] });
  assert.equal(status, 201, body.error);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.deepEqual(
    [body.partnerId, body.userId, body.scopes, body.issuedByKey],
    [admin.partnerId, admin.userId, ['history:read'], admin.id],
  );
  assert.ok(await works(body));
  const listed = await call('GET', '', { token });
  assert.deepEqual(listed.body.items.map(({ id }: IssuedKey) => id).sort(), [admin.id, body.id].sort());
  assert.ok(!('token' in listed.body.items[0]) && !('suspendedReason' in listed.body.items[0]));
  const rotated = await call('POST', `/${body.id}/rotate`, { token, body: { overlapHours: 0 } });
  assert.equal(rotated.status, 201, rotated.body.error);
  assert.equal((await call('GET', `/${body.id}`, { token })).body.status, 'expired');
  const revoked = await call('POST', `/${rotated.body.id}/revoke`, { token });
  assert.deepEqual([revoked.status, revoked.body.status], [200, 'revoked']);
  assert.ok(!(await works(rotated.body)));
  const log = await harness.operator('audit.list', { subject: `key:${rotated.body.id}` });
  assert.deepEqual(
    log.body.data.items.map((row: Record<string, string>) => [row.action, row.actorKind, row.actorId]).sort(),
    [
      ['keys.issue', 'key', admin.id],
      ['keys.revoke', 'key', admin.id],
    ],
  );
});

test('a body may be left out of a rotation, which then overlaps by a day', async () => {
  const admin = await makeAdmin();
  const { body } = await issue(admin, { name: 'Reports', scopes: ['history:read'] });
  const { status } = await call('POST', `/${body.id}/rotate`, { token: admin.token });
  assert.equal(status, 201);
  const shown = await call('GET', `/${body.id}`, { token: admin.token });
  assert.equal(shown.body.status, 'rotated');
});

test('403 a key gives no scope that it lacks, nor one that manages, pays or reveals, though it has it', async () => {
  const { token } = await makeAdmin({ scopes: [...adminScopes, 'mcp_card_reveal'] });
  for (const scope of [
    'webhooks:manage',
    'mcp:write',
    'partner:admin',
    'withdrawals:create',
    'mcp_card_reveal',
  ]) {
    const { status, body } = await issue({ token }, { name: 'x', scopes: ['history:read', scope] });
    assert.deepEqual(
      [status, body.code, body.error],
      [403, 'not_yours_to_give', `You may not give the scope ${scope}`],
    );
  }
});

test('without scopes a key gives the usual ones that it may give, and none if it has none', async () => {
  const wide = await issue(await makeAdmin(), { name: 'x' });
  assert.deepEqual(wide.body.scopes, ['history:read', 'events:read']);
  const narrow = await makeAdmin({ scopes: ['partner:admin', 'mcp'] });
  for (const scopes of [undefined, ['mcp']]) {
    const { body } = await issue(narrow, { name: 'x', ...(scopes && { scopes }) });
    assert.deepEqual(body.scopes, [...(scopes ?? []), 'api:none']);
    const [row] = await harness.deps.db.query('select scopes from api_keys where id = $1', [body.id]);
    assert.deepEqual(row!.scopes, body.scopes, 'what is stored opens nothing either');
  }
});

test('403 a key gives no other user, wider addresses or a later expiry; by default it gives its own', async () => {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const ipAllowlist = ['127.0.0.0/8'];
  const admin = await makeAdmin({ expiresAt, ipAllowlist });
  const colleague = await makeKey(harness, { partnerId: admin.partnerId });
  const wider = [
    { userId: colleague.userId },
    { userId: (await makeUser(harness)).id },
    { ipAllowlist: [] },
    { ipAllowlist: ['127.0.0.1', '0.0.0.0/0'] },
    { expiresAt: '2099-01-01T00:00:00Z' },
  ];
  for (const terms of wider) {
    const { status, body } = await issue(admin, { name: 'x', scopes: ['history:read'], ...terms });
    assert.deepEqual([status, body.code], [403, 'not_yours_to_give'], JSON.stringify(terms));
  }
  const { body } = await issue(admin, { name: 'x', scopes: ['history:read'] });
  assert.deepEqual([body.userId, body.ipAllowlist, body.expiresAt], [admin.userId, ipAllowlist, expiresAt]);
});

test('403 a key rotates no key that is wider than itself, nor itself, nor one that pays', async () => {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const admin = await makeAdmin({ expiresAt, ipAllowlist: ['127.0.0.0/8'] });
  const { partnerId, userId } = admin;
  const own = { partnerId, userId, expiresAt, ipAllowlist: ['127.0.0.1'], scopes: ['history:read'] };
  const targets = [
    admin,
    await makeKey(harness, { ...own, scopes: ['withdrawals:create'] }),
    await makeKey(harness, { ...own, scopes: ['withdrawals:read'] }),
    await makeKey(harness, { ...own, userId: (await makeUser(harness)).id }),
    await makeKey(harness, { ...own, ipAllowlist: [] }),
    await makeKey(harness, { partnerId, userId, ipAllowlist: ['127.0.0.1'], scopes: ['history:read'] }),
  ];
  for (const { id } of targets) {
    const { status, body } = await call('POST', `/${id}/rotate`, { token: admin.token, body: {} });
    assert.deepEqual([status, body.code], [403, 'not_yours_to_give']);
  }
  const { id } = await makeKey(harness, own);
  const { body } = await call('POST', `/${id}/rotate`, { token: admin.token, body: {} });
  assert.equal(body.expiresAt, expiresAt, 'a rotation does not lengthen it beyond the key that calls');
});

test('404 keys of another partner, unknown and malformed ones, by key and by session', async () => {
  const foreign = await makeKey(harness, { scopes: ['history:read'] });
  const { token } = await makeAdmin();
  const { headers } = await (await makeTeam()).at('owner');
  for (const options of [{ token }, { headers }]) {
    for (const id of [foreign.id, 'abcdefghijkl2345', 'x', '%00']) {
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/rotate'],
        ['POST', '/revoke'],
      ] as const)
        assert.equal((await call(method, `/${id}${path}`, options)).status, 404, `${method} ${id}${path}`);
    }
  }
  assert.ok(await works(foreign));
});

test('a key revokes itself and gets the answer; the keys that it issued end with it', async () => {
  const admin = await makeAdmin();
  const { body: child } = await issue(admin, { name: 'child', scopes: ['history:read'] });
  const { body: rotated } = await call('POST', `/${child.id}/rotate`, { token: admin.token, body: {} });
  const sibling = await makeKey(harness, { partnerId: admin.partnerId });
  const { status, body } = await call('POST', `/${admin.id}/revoke`, { token: admin.token });
  assert.deepEqual([status, body.status], [200, 'revoked']);
  assert.equal((await call('GET', '', { token: admin.token })).status, 401);
  assert.deepEqual([await works(child), await works(rotated), await works(sibling)], [false, false, true]);
});

test('a person of an owner’s or developer’s role issues a key that pays, for an allowed user only', async () => {
  const { userId, partnerId, at } = await makeTeam();
  for (const role of ['developer', 'owner']) {
    const { headers, person } = await at(role);
    const { status, body } = await issue(
      { headers },
      { name: 'Payouts', userId, scopes: ['withdrawals:create'] },
    );
    assert.equal(status, 201, body.error);
    assert.ok(await works(body));
    const [row] = await harness.deps.db.query('select issued_by from api_keys where id = $1', [body.id]);
    assert.equal(row!.issued_by, person.id, 'who may not approve what it pays');
    const log = await harness.operator('audit.list', { subject: `key:${body.id}` });
    assert.deepEqual(
      log.body.data.items.map((one: Record<string, string>) => [one.actorKind, one.actorId]),
      [['person', person.id]],
    );
    const stranger = await issue({ headers }, { name: 'x', userId: (await makeUser(harness)).id });
    assert.deepEqual([stranger.status, stranger.body.code], [403, 'not_your_user']);
    assert.equal((await issue({ headers }, { name: 'x' })).status, 400, 'a user must be named');
    const listed = await call('GET', '', { headers });
    assert.ok(listed.body.items.every((one: IssuedKey) => one.partnerId === partnerId));
  }
});

test('403 a developer gives no partner:admin, by issuing or rotating; an owner does, but never card reveal', async () => {
  const { userId, partnerId, at } = await makeTeam();
  const [developer, owner] = [await at('developer'), await at('owner')];
  const ask = ({ headers }: typeof owner, scope: string) =>
    issue({ headers }, { name: 'x', userId, scopes: [scope] });
  const given = await ask(owner, 'partner:admin');
  assert.equal(given.status, 201);
  assert.equal((await ask(developer, 'partner:admin')).body.code, 'not_yours_to_give');
  const rotate = (id: string, { headers }: typeof owner) =>
    call('POST', `/${id}/rotate`, { headers, body: {} });
  assert.equal((await rotate(given.body.id, developer)).status, 403);
  assert.equal((await rotate(given.body.id, owner)).status, 201);
  const revealing = await makeKey(harness, { partnerId, userId, scopes: ['mcp', 'mcp_card_reveal'] });
  for (const person of [developer, owner]) {
    assert.equal((await ask(person, 'mcp_card_reveal')).body.code, 'not_yours_to_give');
    assert.equal((await rotate(revealing.id, person)).status, 403);
  }
});

test('403 finance, the operator’s staff and integrations’ people, and a request without token or confirmation', async () => {
  const { userId, at } = await makeTeam();
  const codeOf = async (headers: Record<string, string>) =>
    (await issue({ headers }, { name: 'x', userId })).body.code;
  assert.equal(await codeOf((await at('finance')).headers), 'other_staff_role');
  assert.equal(await codeOf((await signInStaff(harness, { role: 'admin' })).headers), 'not_partner_staff');
  const { headers } = await at('owner');
  assert.equal(await codeOf({ cookie: headers.cookie! }), 'foreign_request');
  assert.equal(await codeOf({ ...headers, origin: 'https://evil.example' }), 'foreign_request');
  assert.equal(await codeOf({ cookie: 'causeway_person=nobody' }), 'not_signed_in');
  harness.advance(6 * 60_000);
  assert.equal(await codeOf(headers), 'step_up_required');
  assert.equal((await call('GET', '', { headers: { cookie: headers.cookie! } })).status, 200, 'a read');
});

test('with a key in Authorization the cookie is ignored', async () => {
  const { headers } = await (await makeTeam()).at('owner');
  const { token } = await makeKey(harness);
  assert.equal((await call('GET', '', { token, headers })).body.code, 'scope_missing');
});

test('what a key issues has the issuer of that key, who may not approve what it pays', async () => {
  const { userId, at } = await makeTeam();
  const owner = await at('owner');
  const { body: admin } = await issue(owner, {
    name: 'admin',
    userId,
    scopes: ['partner:admin', 'events:read'],
  });
  const { body } = await issue(admin, { name: 'x' });
  const [row] = await harness.deps.db.query('select issued_by from api_keys where id = $1', [body.id]);
  assert.equal(row!.issued_by, owner.person.id);
});

test('409 the 101st key that works', async () => {
  const admin = await makeAdmin();
  await harness.deps.db.query(
    `insert into api_keys (id, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at)
     select translate(lpad(n::text, 16, 'a'), '0189', 'bcde'), sha256(n::text::bytea), 'x', $1, $2, '{}', '{}', now()
     from generate_series(1, 99) n`,
    [admin.partnerId, admin.userId],
  );
  const many = await issue(admin, { name: 'x' });
  assert.deepEqual([many.status, many.body.code], [409, 'too_many_keys']);
});

test('429 the 31st request of a user in ten seconds', async () => {
  const { token } = await makeAdmin();
  const answers = await Promise.all(Array.from({ length: 31 }, () => call('GET', '', { token })));
  assert.deepEqual(
    answers
      .map(({ status }) => status)
      .sort()
      .slice(29),
    [200, 429],
  );
});

test('401 staff of a suspended partner', async () => {
  const { id: partnerId } = await makePartner(harness);
  const { headers } = await signInStaff(harness, { role: 'owner', partnerId });
  await harness.operator('partners.suspend', { partnerId, reason: 'a test' });
  assert.equal((await call('GET', '', { headers })).status, 401);
});
