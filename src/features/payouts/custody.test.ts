import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contextFor } from '#context';
import { addWallet, type Custody } from '#features/users';
import { makeAddress, makeUser } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { makeWorld, unit, type World } from '#test/worlds/payout';
import { createWatch } from '../deposits/watch.ts';
import { watchDeposits } from '../deposits/watch-deposits.ts';

const polygon = useChain();

async function makeOwner({ harness }: World, custody: Custody, userId?: string) {
  const user = userId ?? (await makeUser(harness, { emailVerified: true })).id;
  const address = makeAddress();
  await addWallet(harness.operatorContext(), { userId: user, network: 'polygon', address, custody });
  return { userId: user, address };
}

/** Reads final blocks for deposits, starting at the first call. */
function watch({ worker: { deps } }: World) {
  const watched = createWatch(deps.evm.get('polygon')!);
  return async () =>
    (await watchDeposits(contextFor(deps, { kind: 'worker', job: 'test' }, deps.log), watched)).posted;
}

const balanceOf = async (world: World, userId: string) => (await world.funds('USDC', userId)).balance;

describe('what is paid to a wallet', () => {
  for (const by of ['address', 'userId', 'email'] as const) {
    test(`of another user in self custody, named by ${by}, is paid and credited to nobody`, async (t) => {
      const world = await makeWorld(t, polygon);
      const read = watch(world);
      await read();
      const owner = await makeOwner(world, 'self');
      const [row] = await world.db.query<{ email: string }>('select email from users where id = $1', [
        owner.userId,
      ]);
      const id = await world.withdraw({ amount: '7', to: { ...owner, ...row! }[by] });
      await world.pay();
      await world.expectPaid(id);
      assert.equal(await read(), 0);
      assert.equal(await polygon.balanceOf('USDC', owner.address), 7n * unit);
      assert.equal(await balanceOf(world, owner.userId), 0n);
      assert.equal(await balanceOf(world, world.userId), 993n * unit);
    });
  }

  test('of another user in custody of the platform is credited once', async (t) => {
    const world = await makeWorld(t, polygon);
    const read = watch(world);
    await read();
    const owner = await makeOwner(world, 'platform');
    const id = await world.withdraw({ amount: '7', to: owner.address });
    await world.pay();
    await world.expectPaid(id);
    assert.equal(await read(), 0);
    assert.equal(await balanceOf(world, owner.userId), 7n * unit);
  });

  test('of one’s own in self custody is paid and spent', async (t) => {
    const world = await makeWorld(t, polygon);
    const { address } = await makeOwner(world, 'self', world.userId);
    const id = await world.withdraw({ amount: '7', to: address });
    await world.pay();
    await world.expectPaid(id);
    assert.equal(await balanceOf(world, world.userId), 993n * unit);
  });

  test('of one’s own in custody of the platform is refused: a balance cannot leave the hot wallet five times', async (t) => {
    const world = await makeWorld(t, polygon);
    const { userId, address } = await makeOwner(world, 'platform', world.userId);
    for (const to of [userId, address]) {
      await assert.rejects(world.withdraw({ amount: '900', to }), {
        status: 403,
        message: 'Receiver is not eligible to receive tokens',
      });
    }
    await world.pay();
    assert.deepEqual(await world.paid(), []);
    assert.deepEqual(await world.funds(), { balance: 1_000n * unit, held: 0n });
  });

  test('by a process of the release before, which does not know custody, is not credited in self custody', async (t) => {
    const world = await makeWorld(t, polygon);
    const owner = await makeOwner(world, 'platform');
    const id = await world.withdraw({ to: owner.address });
    const copy = `insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address,
        decimals, amount, to_address, recipient_user_id, created_at, updated_at)
      select list_id, position + 1, partner_id, user_id, key_id, network, currency, token_address, decimals, amount, $2, $3, now(), now()
      from withdrawals where id = $1 returning recipient_user_id as "recipientUserId"`;
    const self = await makeOwner(world, 'self');
    const [row] = await world.db.query(copy, [id, self.address, self.userId]);
    assert.deepEqual(row, { recipientUserId: null });
    await assert.rejects(
      world.db.query(
        `insert into deposits (network, transaction_hash, log_index, block_number, user_id, wallet, currency, amount)
         values ('polygon', $1, 0, 1, $2, $3, 'USDC', 5)`,
        [`0x${'a1'.repeat(32)}`, self.userId, self.address],
      ),
      /a deposit to a wallet in self custody is not credited/,
    );
  });
});

test('a deposit is credited in custody of the platform, and not in self custody', async (t) => {
  const world = await makeWorld(t, polygon);
  const read = watch(world);
  await read();
  const [platform, self] = [await makeOwner(world, 'platform'), await makeOwner(world, 'self')];
  for (const { address } of [platform, self]) await polygon.mint('USDC', address, 3n * unit);
  await polygon.mine(2);
  assert.equal(await read(), 1);
  assert.equal(await balanceOf(world, platform.userId), 3n * unit);
  assert.equal(await balanceOf(world, self.userId), 0n);
});

describe('custody of a wallet that is there', () => {
  const change = ({ harness }: World, wallet: { userId: string; address: string }, custody: Custody) =>
    addWallet(harness.operatorContext(), { ...wallet, network: 'polygon', custody });

  test('becomes the user’s, and what comes then is credited to nobody', async (t) => {
    const world = await makeWorld(t, polygon);
    const read = watch(world);
    await read();
    const owner = await makeOwner(world, 'platform');
    await change(world, owner, 'self');
    await polygon.mint('USDC', owner.address, unit);
    await polygon.mine(2);
    assert.equal(await read(), 0);
    const { body } = await world.operator('audit.list', { subject: `user:${owner.userId}` });
    assert.deepEqual([body.items[0].before.custody, body.items[0].after.custody], ['platform', 'self']);
  });

  test('409 does not become the platform’s again: the user knows its keys', async (t) => {
    const world = await makeWorld(t, polygon);
    const owner = await makeOwner(world, 'self');
    await assert.rejects(change(world, owner, 'platform'), { status: 409, code: 'custody_kept' });
  });

  test('409 does not become the user’s while a withdrawal that will be credited is under way', async (t) => {
    const world = await makeWorld(t, polygon);
    const owner = await makeOwner(world, 'platform');
    const id = await world.withdraw({ amount: '7', to: owner.address });
    await assert.rejects(change(world, owner, 'self'), { status: 409, code: 'wallet_in_use' });
    await world.pay();
    await world.expectPaid(id);
    await change(world, owner, 'self');
    assert.equal(await balanceOf(world, owner.userId), 7n * unit);
  });
});
