import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeAddress, makeKey, makePartner, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { usualScopes } from './scopes.ts';

// test/callers/battery.ts shows for every route that a stopped key is refused, and works when it is resumed.

const harness = useHarness({ trustedProxies: ['127.0.0.1'] });
const minuteMs = 60_000;
const guardedPath = '/api/history?resource=account&feature=none';
const use = (token: string, headers?: Record<string, string>) =>
  harness.request('GET', guardedPath, { token, headers });

async function listed(keyId: string, filter: object) {
  const { body } = await harness.operator('keys.list', filter);
  return body.data.items.find(({ id }: { id: string }) => id === keyId);
}

const changesOf = async (subject: string) =>
  (await harness.operator('audit.list', { subject })).body.data.items as {
    action: string;
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
  }[];

test('409 keys.issue: for a user who is not on the list of the partner', async () => {
  const [partner, user] = [await makePartner(harness), await makeUser(harness)];
  const terms = { name: 'till', partnerId: partner.id, userId: user.id };
  const { status, body } = await harness.operator('keys.issue', terms);
  assert.deepEqual(
    [status, body.error],
    [409, "User is not on the partner's allowed list: run partners allow-user first"],
  );
});

test('200 partners.disallow-user: also for a user who never was on the list, and only for that pair', async () => {
  const key = await makeKey(harness);
  const { partnerId, userId } = key;
  const [ofOtherUser, ofOtherPartner] = [
    await makeKey(harness, { partnerId }),
    await makeKey(harness, { userId }),
  ];
  // A key from before lists decided about keys.
  await harness.deps.db.query('delete from partner_users where partner_id = $1', [partnerId]);
  assert.notEqual((await use(key.token)).status, 401);
  await harness.operator('partners.disallow-user', { partnerId, userId });
  assert.equal((await use(key.token)).status, 401);
  assert.equal((await listed(key.id, { partnerId })).status, 'user not allowed');
  assert.notEqual((await use(ofOtherUser.token)).status, 401);
  assert.notEqual((await use(ofOtherPartner.token)).status, 401);
});

test('a removal from before this release counts, unless the user was allowed again', async () => {
  const [removed, restored] = [await makeKey(harness), await makeKey(harness)];
  for (const { partnerId, userId } of [removed, restored])
    await harness.operator('partners.disallow-user', { partnerId, userId });
  const { partnerId, userId } = restored;
  await harness.operator('partners.allow-user', { partnerId, userId });
  // As an earlier release left it.
  await harness.deps.db.query('delete from partner_users_removed');
  assert.notEqual((await use(removed.token)).status, 401);
  const file = path.resolve('database/migrations/0044_earlier_removals.sql');
  await harness.deps.db.query(readFileSync(file, 'utf8'));
  assert.equal((await use(removed.token)).status, 401);
  assert.notEqual((await use(restored.token)).status, 401);
});

test('allowed and disallowed at the same time, a user is on the list or off it, not both', async () => {
  const [partner, user] = [await makePartner(harness), await makeUser(harness)];
  const pair = { partnerId: partner.id, userId: user.id };
  for (let n = 0; n < 10; n += 1) {
    const commands = ['partners.allow-user', 'partners.disallow-user'];
    const answers = await Promise.all(commands.map((command) => harness.operator(command, pair)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const [row] = await harness.deps.db.query<{ on: boolean; off: boolean }>(
      `select exists (select from partner_users where partner_id = $1) as on,
         exists (select from partner_users_removed where partner_id = $1) as off`,
      [partner.id],
    );
    assert.notEqual(row!.on, row!.off);
  }
});

test('keys.list shows each status', async () => {
  const expiring = { expiresAt: new Date(harness.deps.clock().getTime() + 600_000).toISOString() };
  const made = {
    active: await makeKey(harness),
    expired: await makeKey(harness, expiring),
    suspended: await makeKey(harness),
    revoked: await makeKey(harness),
    rotated: await makeKey(harness),
    'partner suspended': await makeKey(harness),
    'user suspended': await makeKey(harness),
    'user not allowed': await makeKey(harness),
  };
  const reason = 'a test';
  harness.advance(601_000);
  await harness.operator('keys.suspend', { keyId: made.suspended.id, reason });
  await harness.operator('keys.revoke', { keyId: made.revoked.id });
  await harness.operator('keys.rotate', { keyId: made.rotated.id });
  await harness.operator('partners.suspend', { partnerId: made['partner suspended'].partnerId, reason });
  await harness.operator('users.suspend', { userId: made['user suspended'].userId, reason });
  const { partnerId, userId } = made['user not allowed'];
  await harness.operator('partners.disallow-user', { partnerId, userId });
  for (const [status, key] of Object.entries(made)) {
    assert.equal((await listed(key.id, { partnerId: key.partnerId })).status, status);
    const works = status === 'active' || status === 'rotated';
    assert.equal((await use(key.token)).status === 401, !works, status);
  }
});

test('keys.list shows the last use, which is written at most once a minute', async () => {
  const { id, token, partnerId } = await makeKey(harness, { ipAllowlist: ['127.0.0.1'] });
  const lastUse = async () => (await listed(id, { partnerId })).lastUsedAt;
  assert.equal(await lastUse(), null);
  assert.equal((await use(token, { 'x-forwarded-for': '203.0.113.9' })).status, 403);
  await use(token);
  await waitUntil('the use is noted', async () => (await lastUse()) !== null);
  const first = await lastUse();
  const rowVersion = async () =>
    (await harness.deps.db.query('select xmin::text from api_key_uses where key_id = $1', [id]))[0];
  const version = await rowVersion();
  harness.advance(minuteMs / 2);
  for (let n = 0; n < 20; n += 1) await use(token);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(await rowVersion(), version, 'no write within the minute');
  assert.equal(await lastUse(), first);
  harness.advance(minuteMs);
  await use(token);
  await waitUntil('the later use is noted', async () => (await lastUse()) > first);
});

test('200 keys.suspend repeated renews the suspension, keys.resume repeated changes nothing; audited', async () => {
  const { id: keyId } = await makeKey(harness);
  const first = await harness.operator('keys.suspend', { keyId, reason: 'Leaked in a log' });
  harness.advance(1_000);
  const again = await harness.operator('keys.suspend', { keyId, reason: 'Another reason' });
  assert.equal(first.body.data.suspendedReason, 'Leaked in a log');
  assert.equal(again.body.data.suspendedReason, 'Another reason');
  assert.ok(again.body.data.suspendedAt > first.body.data.suspendedAt);
  const { status, body } = await harness.operator('keys.rotate', { keyId });
  assert.deepEqual([status, body.error], [409, 'Key is suspended: resume it first']);
  for (let n = 0; n < 2; n += 1) {
    const resumed = await harness.operator('keys.resume', { keyId });
    assert.deepEqual([resumed.body.data.suspendedAt, resumed.body.data.suspendedReason], [null, null]);
  }
  const actions = (await changesOf(`key:${keyId}`)).map(({ action }) => action).sort();
  assert.deepEqual(actions, ['keys.issue', 'keys.resume', 'keys.suspend', 'keys.suspend']);
});

test('404 suspend and resume: an unknown key, partner or user; the house', async () => {
  const unknown = '0198a0de-ffff-7000-8000-000000000000';
  const house = '00000000-0000-7000-8000-000000000001';
  for (const [feature, input] of [
    ['keys', { keyId: 'a'.repeat(16) }],
    ['partners', { partnerId: unknown }],
    ['partners', { partnerId: house }],
    ['users', { userId: unknown }],
  ] as const) {
    const suspended = await harness.operator(`${feature}.suspend`, { ...input, reason: 'a test' });
    assert.equal(suspended.status, 404);
    assert.equal((await harness.operator(`${feature}.resume`, input)).status, 404);
  }
});

test('200 keys.update: scopes, addresses and expiry apply from the next request on', async () => {
  const { id: keyId, token, partnerId, userId } = await makeKey(harness, { scopes: ['mcp'] });
  const callTool = () =>
    harness.request('POST', '/mcp', { token, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
  assert.equal((await callTool()).status, 200);
  await harness.operator('keys.update', { keyId, scopes: [] });
  assert.equal((await callTool()).status, 403);
  await harness.operator('keys.update', { keyId, ipAllowlist: ['203.0.113.0/24'] });
  assert.equal((await use(token)).status, 403);
  const expiresAt = new Date(harness.deps.clock().getTime() + minuteMs).toISOString();
  const { body } = await harness.operator('keys.update', { keyId, ipAllowlist: [], expiresAt });
  assert.deepEqual(
    [body.data.partnerId, body.data.userId, body.data.name, body.data.scopes, body.data.expiresAt],
    [partnerId, userId, 'test', usualScopes, expiresAt],
  );
  assert.notEqual((await use(token)).status, 403);
  const never = await harness.operator('keys.update', { keyId, expiresAt: null, name: 'Till 2' });
  assert.deepEqual([never.body.data.expiresAt, never.body.data.name], [null, 'Till 2']);
  const [newest] = (await changesOf(`key:${keyId}`)).filter(({ action }) => action === 'keys.update');
  assert.ok(newest!.before && newest!.after);
  assert.equal((await harness.operator('keys.update', { keyId, name: 'Till 2' })).status, 200);
  const updates = (await changesOf(`key:${keyId}`)).filter(({ action }) => action === 'keys.update');
  assert.equal(updates.length, 4, 'an update that changes nothing is not audited');
});

test('keys.update refuses bad terms and ended keys', async () => {
  const { id: keyId } = await makeKey(harness);
  for (const [change, status, error] of [
    [{}, 400, 'body must have at least 2 fields'],
    [{ ipAllowlist: ['10.0.0.0/33'] }, 400, 'ipAllowlist: 10.0.0.0/33 has a prefix outside 0 to 32'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 400, 'expiresAt must be in the future'],
    [
      { scopes: ['admin'] },
      400,
      'scopes.0 must be one of mcp, mcp_card_reveal, mcp:write, withdrawals:create',
    ],
    [{ userId: '0198a0de-ffff-7000-8000-000000000000' }, 400, 'Unknown field: userId'],
  ] as const) {
    const { status: answered, body } = await harness.operator('keys.update', { keyId, ...change });
    assert.equal(answered, status);
    assert.ok(body.error.includes(error), body.error);
  }
  await harness.operator('keys.revoke', { keyId });
  const { status, body } = await harness.operator('keys.update', { keyId, name: 'late' });
  assert.deepEqual([status, body.error], [409, 'Key is revoked, expired or already rotated']);
});

test('a suspended user: partners cannot act for them, nor pay them; they cannot sign in', async () => {
  const { token, userId, partnerId } = await makeKey(harness);
  const other = await makeUser(harness);
  await harness.operator('partners.allow-user', { partnerId, userId: other.id });
  const address = makeAddress();
  await harness.operator('users.add-wallet', {
    userId: other.id,
    network: 'polygon',
    address,
    custody: 'platform',
  });
  const withdraw = (from: string, to: string) =>
    harness.request('POST', `/api/crypto/${from}/withdraw`, { token, body: { amount: '1', to } });
  const link = await harness.operator('users.sign-in-link', { userId: other.id });
  assert.equal((await withdraw(userId, other.email)).status, 200);
  await harness.operator('users.suspend', { userId: other.id, reason: 'Account taken over' });

  for (const to of [other.email, other.id, address]) {
    const { status, body } = await withdraw(userId, to);
    assert.deepEqual([status, body.error], [403, 'Receiver is not eligible to receive tokens'], to);
  }
  const made = await withdraw(other.id, makeAddress());
  assert.deepEqual([made.status, made.body.error], [401, 'User not allowed']);
  const listed = await harness.request('GET', `/api/crypto/${other.id}/withdraws`, { token });
  assert.deepEqual([listed.status, listed.body.error], [401, 'User not allowed']);
  const again = await harness.operator('users.sign-in-link', { userId: other.id });
  assert.deepEqual([again.status, again.body.error], [409, 'User is suspended: run users resume first']);
  const path = new URL(link.body.data.url).pathname;
  const opened = await harness.request('POST', path);
  assert.notEqual(opened.status, 303);

  await harness.operator('users.resume', { userId: other.id });
  assert.equal((await withdraw(userId, other.email)).status, 200);
  assert.equal((await withdraw(other.id, makeAddress())).status, 200);
});
