import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useChain } from '#test/chain';
import { unit } from '#test/payout-world';
import { makeTreasury } from '#test/treasury-world';

const chain = useChain();

test('200 treasury.show: what the last comparison found, without asking nodes', async (t) => {
  const world = await makeTreasury(t, chain, {});
  const before = (await world.operator('treasury.show')).body;
  assert.deepEqual(before, {
    networks: [{ network: 'polygon', reconciledAt: null, block: null, isCounting: false }],
    assets: [],
  });
  await world.compare();
  await world.transfer(world.wallet, `0x${'12'.repeat(20)}`, 5n * unit, 'USDT');
  await chain.mine(2);
  await world.compare();
  const { status, body } = await world.operator('treasury.show');
  assert.equal(status, 200);
  assert.ok(body.networks[0].reconciledAt !== null && body.networks[0].block > 0);
  const usdt = body.assets.find(({ currency }: { currency: string }) => currency === 'USDT');
  const { items } = (await world.operator('treasury.reconcile', { network: 'polygon' })).body;
  const compared = (what: string) =>
    items.find((row: { currency: string; what: string }) => row.currency === 'USDT' && row.what === what)
      .amount;
  assert.deepEqual(
    [usdt.chain, usdt.owed, usdt.difference, usdt.unexplained],
    ['held on chain', 'owed to users', 'difference', 'unexplained'].map(compared),
  );
  assert.ok(usdt.since !== null && usdt.explanations.length > 0);
});
