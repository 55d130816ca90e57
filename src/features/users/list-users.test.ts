import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAddress, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';

const harness = useHarness();

test('200 users.list: by id, and by the address of a wallet in any spelling', async () => {
  const [user] = [await makeUser(harness), await makeUser(harness)];
  const address = makeAddress();
  await harness.operator('users.add-wallet', { userId: user!.id, network: 'base', address, custody: 'self' });
  const idsBy = async (filter: object) => {
    const { status, body } = await harness.operator('users.list', filter);
    assert.equal(status, 200);
    return body.data.items.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await idsBy({ userId: user!.id }), [user!.id]);
  assert.deepEqual(await idsBy({ address }), [user!.id]);
  assert.deepEqual(await idsBy({ address: address.toLowerCase() }), [user!.id]);
  assert.deepEqual(await idsBy({ address: makeAddress() }), []);
});
