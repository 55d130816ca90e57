import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useChain } from '#test/chain';
import { makeWorld } from '#test/payout-world';

const chain = useChain();

test('200 wallets.activity: final payouts by hour and by wallet; open ones and older ones do not count', async (t) => {
  const world = await makeWorld(t, chain);
  await world.withdraw();
  await world.pay();
  world.worker.advance(2 * 86_400_000);
  await world.withdraw();
  await world.withdraw();
  await world.pay();
  await world.withdraw();
  await world.worker.hold();
  await world.worker.sign();
  const { status, body } = await world.operator('wallets.activity');
  assert.equal(status, 200);
  const { hours, wallets } = body;
  assert.equal(hours.length, 24);
  assert.equal(
    hours.reduce((sum: number, { settled }: { settled: number }) => sum + settled, 0),
    2,
  );
  assert.deepEqual(
    wallets.map(({ address, settled }: { address: string; settled: number }) => [
      address.toLowerCase(),
      settled,
    ]),
    [[world.wallet, 2]],
  );
  const shown = await world.operator('wallets.show');
  assert.ok(shown.body.wallets[0].onChain.payoutsLeft > 1_000);
});
