import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumAddress } from '#adapters/evm';
import { makeAddress, makeUser } from '#test/data/factories';
import { databaseBefore } from '#test/database/database-before';
import { useHarness } from '#test/harness';

// An address that was ever in self custody: its user may have copied the keys.

const harness = useHarness();

const add = (userId: string, address: string, custody: 'self' | 'platform', network = 'polygon') =>
  harness.operator('users.add-wallet', { userId, network, address, custody });

async function expectRefusal(userId: string, address: string, network?: string): Promise<void> {
  const { status, body } = await add(userId, address, 'platform', network);
  assert.deepEqual([status, body.code], [409, 'keys_known'], JSON.stringify(body));
  assert.match(body.error, /was in self custody before.*record another address/);
}

test('409 users.add-wallet: a removed self wallet cannot come back as a platform wallet', async () => {
  const [user, other, address] = [await makeUser(harness), await makeUser(harness), makeAddress()];
  assert.equal((await add(user.id, address, 'self')).status, 200);
  const removed = await harness.operator('users.remove-wallet', { userId: user.id, network: 'polygon' });
  assert.equal(removed.status, 200);
  await expectRefusal(user.id, address);
  await expectRefusal(other.id, address);
  await expectRefusal(user.id, address, 'base');
  // In self custody it may be recorded again.
  assert.equal((await add(other.id, address, 'self')).status, 200);
});

test('409 users.add-wallet: nor after a replacement, nor for an address that was platform first', async () => {
  const [user, other, address] = [await makeUser(harness), await makeUser(harness), makeAddress()];
  for (const custody of ['platform', 'self'] as const)
    assert.equal((await add(user.id, address, custody)).status, 200);
  assert.equal((await add(user.id, makeAddress(), 'platform')).status, 200);
  await expectRefusal(user.id, address);
  await expectRefusal(other.id, address);
});

test('409 users.add-wallet: nor while another user has it in self custody, recorded without the trigger', async () => {
  const [user, other, address] = [await makeUser(harness), await makeUser(harness), makeAddress()];
  // As by a process of the release before, between the migration and the new functions.
  await harness.deps.db.transaction(async (db) => {
    await db.query('set local session_replication_role = replica');
    await db.query(
      `insert into user_wallets (user_id, network, address, custody, verified_at) values ($1, 'base', $2, 'self', now())`,
      [user.id, address],
    );
  });
  await expectRefusal(other.id, address);
});

test('409 users.add-wallet: not in self custody while it is a platform wallet on another network', async () => {
  const [user, other, address] = [await makeUser(harness), await makeUser(harness), makeAddress()];
  assert.equal((await add(user.id, address, 'platform')).status, 200);
  const { status, body } = await add(other.id, address, 'self', 'base');
  assert.deepEqual([status, body.code], [409, 'platform_elsewhere'], JSON.stringify(body));
  assert.match(body.error, /platform wallet of another user on polygon/);
  await harness.operator('users.remove-wallet', { userId: user.id, network: 'polygon' });
  assert.equal((await add(other.id, address, 'self', 'base')).status, 200);
});

test('200 users.add-wallet: self custody on one network changes the same address on the others', async () => {
  const [user, address] = [await makeUser(harness), makeAddress()];
  for (const network of ['polygon', 'base'])
    assert.equal((await add(user.id, address, 'platform', network)).status, 200);
  assert.equal((await add(user.id, address, 'self', 'ethereum')).status, 200);
  const { db } = harness.deps;
  const wallets = await db.query<{ network: string; custody: string }>(
    'select network, custody from user_wallets where user_id = $1 order by network',
    [user.id],
  );
  assert.deepEqual(
    wallets.map(({ network, custody }) => `${network} ${custody}`),
    ['base self', 'ethereum self', 'polygon self'],
  );
  const audited = await harness.operator('audit.list', {
    subject: `user:${user.id}`,
    action: 'users.add-wallet',
  });
  const changes = audited.body.data.items
    .slice(0, 3)
    .map((row: { before: unknown; after: { network: string } }) => [row.after.network, row.before !== null]);
  assert.deepEqual(changes.sort(), [
    ['base', true],
    ['ethereum', false],
    ['polygon', true],
  ]);
});

test('200 users.add-wallet: also for what an older release left on the platform of another network', async () => {
  const [user, address] = [await makeUser(harness), makeAddress()];
  await harness.deps.db.query(
    `insert into user_wallets (user_id, network, address, custody, verified_at)
     values ($1, 'polygon', $2, 'self', now()), ($1, 'base', $2, 'platform', now())`,
    [user.id, address],
  );
  assert.equal((await add(user.id, address, 'self')).status, 200);
  const [other] = await harness.deps.db.query(
    `select custody from user_wallets where user_id = $1 and network = 'base'`,
    [user.id],
  );
  assert.equal(other!.custody, 'self');
});

test('409 users.add-wallet: two at once, in self custody and on the platform, are never both recorded', async () => {
  const [user, other, address] = [await makeUser(harness), await makeUser(harness), makeAddress()];
  const answers = await Promise.all([
    add(user.id, address, 'self', 'polygon'),
    add(other.id, address, 'platform', 'base'),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
});

test('200 users.add-wallet: a platform wallet may be removed and recorded again, under another user', async () => {
  const [user, other, address] = [await makeUser(harness), await makeUser(harness), makeAddress()];
  await add(user.id, address, 'platform');
  await harness.operator('users.remove-wallet', { userId: user.id, network: 'polygon' });
  assert.equal((await add(other.id, address, 'platform')).status, 200);
});

test('the migration lists self wallets, and those that only the audit log still has', async (t) => {
  const before = await databaseBefore(t, 'self_custody_addresses');
  const [current, replaced, removed, platform] = [makeAddress(), makeAddress(), makeAddress(), makeAddress()];
  const userId = '0198a0de-0001-7000-8000-000000000000';
  await before.query(
    `insert into users (id, email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
     values ($1, 'before@example.com', true, 'A', 'B', 'individual', now(), now())`,
    [userId],
  );
  for (const [network, address, custody] of [
    ['polygon', current, 'self'],
    ['base', platform, 'platform'],
  ])
    await before.query(
      'insert into user_wallets (user_id, network, address, custody, verified_at) values ($1, $2, $3, $4, now())',
      [userId, network, address, custody],
    );
  const wallet = (address: string, custody: string) =>
    JSON.stringify({ network: 'polygon', address: checksumAddress(address), custody });
  for (const [id, action, was, is] of [
    [1, 'users.add-wallet', null, wallet(replaced, 'self')],
    [2, 'users.add-wallet', wallet(replaced, 'self'), wallet(platform, 'platform')],
    [3, 'users.remove-wallet', wallet(removed, 'self'), null],
    [4, 'users.update', null, JSON.stringify({ custody: 'self', address: 'none' })],
  ])
    await before.query(
      `insert into audit_log (id, at, actor_kind, actor_id, action, subject, before, after, hash)
       values ($1, now(), 'operator', 'tester', $2, 'user:1', $3, $4, '\\x00')`,
      [id, action, was, is],
    );
  await before.migrate();
  const rows = await before.query('select address from self_custody_addresses');
  assert.deepEqual(rows.map(({ address }) => address).sort(), [current, replaced, removed].sort());
});
