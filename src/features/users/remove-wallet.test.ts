import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAddress, makeKey, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';

const harness = useHarness();
const unknownId = '0198a0de-ffff-7000-8000-000000000000';

async function makeWallet(custody: 'self' | 'platform' = 'platform') {
  const user = await makeUser(harness);
  const address = makeAddress();
  const wallet = { userId: user.id, network: 'polygon', address, custody };
  const { body } = await harness.operator('users.add-wallet', wallet);
  return { user, address: body.data.address as string };
}

const remove = (userId: string, network = 'polygon') =>
  harness.operator('users.remove-wallet', { userId, network });

test('200 users.remove-wallet: the user can no longer be paid there; another user may record the address', async () => {
  const { user, address } = await makeWallet();
  const { token, userId } = await makeKey(harness);
  const pay = () =>
    harness.request('POST', `/api/crypto/${userId}/withdraw`, { token, body: { amount: '1', to: user.id } });
  const { status, body } = await remove(user.id, 'Polygon');
  assert.deepEqual([status, body.data], [200, { userId: user.id, network: 'polygon', removed: address }]);
  assert.equal((await pay()).body.error, 'Error finding user verified wallet');
  assert.deepEqual((await remove(user.id)).body.data.removed, null);
  const { items } = (await harness.operator('audit.list', { action: 'users.remove-wallet' })).body.data;
  const ours = items.filter(({ subject }: { subject: string }) => subject === `user:${user.id}`);
  assert.deepEqual(
    ours.map(({ before }: { before: object }) => before),
    [{ network: 'polygon', address, custody: 'platform' }],
  );
  const other = await makeUser(harness);
  const added = await harness.operator('users.add-wallet', {
    userId: other.id,
    network: 'polygon',
    address,
    custody: 'platform',
  });
  assert.equal(added.status, 200);
});

test('409 users.remove-wallet: while a withdrawal to it is in progress that will be credited', async () => {
  const { user } = await makeWallet();
  const { token, userId } = await makeKey(harness);
  const { body } = await harness.request('POST', `/api/crypto/${userId}/withdraw`, {
    token,
    body: { amount: '1', to: user.id },
  });
  const refused = await remove(user.id);
  assert.deepEqual(
    [refused.status, refused.body.error],
    [409, 'A withdrawal to this wallet is in progress and will be credited: try again when it is final'],
  );
  const [row] = await harness.deps.db.query<{ id: string }>('select id from withdrawals where bulk_id = $1', [
    body.data.bulkId,
  ]);
  await harness.operator('withdrawals.cancel', { withdrawalId: row!.id, reason: 'a test' });
  assert.equal((await remove(user.id)).status, 200);
});

test('users.remove-wallet refuses an unknown user and an unknown network', async () => {
  assert.deepEqual((await remove(unknownId)).body.error, 'User not found');
  const { status, body } = await remove(unknownId, 'solana');
  assert.deepEqual([status, body.error], [400, 'network must be one of polygon, ethereum, base']);
});

test('twenty times add and remove at once: no deadlock, and each change is audited', async () => {
  const { user, address } = await makeWallet();
  const add = () =>
    harness.operator('users.add-wallet', {
      userId: user.id,
      network: 'polygon',
      address,
      custody: 'platform',
    });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 ? add() : remove(user.id))),
  );
  for (const { status, body } of answers) assert.ok(status === 200 || status === 409, body.error);
  const { items } = (await harness.operator('audit.list', { subject: `user:${user.id}` })).body.data;
  const wallets = items.filter(({ action }: { action: string }) => action.endsWith('-wallet'));
  const [row] = await harness.deps.db.query<{ has: boolean }>(
    'select exists (select from user_wallets where user_id = $1) as has',
    [user.id],
  );
  const added = wallets.filter(({ action }: { action: string }) => action === 'users.add-wallet').length;
  assert.equal(added - (wallets.length - added), row!.has ? 1 : 0);
});
