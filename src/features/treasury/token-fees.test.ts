import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useChain } from '#test/outside/chain';
import { takeFees } from '#test/outside/fee-token';
import { unit } from '#test/worlds/payout';
import { makeTreasury } from '#test/worlds/treasury';

const chain = useChain();

test('of a payout’s transaction only the transfer to the recipient is the payout; a fee is named and a shortfall', async (t) => {
  const world = await makeTreasury(t, chain);
  await world.compare('USDT');
  await takeFees(chain, 'USDT');
  const id = await world.withdraw({ currency: 'USDT', amount: '3' });
  await world.pay();
  const open = await world.compare('USDT');
  assert.equal(open.amounts['open payouts'], -3n * unit);
  assert.equal(open.amounts['token fees of payouts'], -1n);
  assert.equal(open.shortfall, 1n);
  const { hash } = (await world.attempts(id))[0]!;
  const wallet = { network: 'polygon', address: world.wallet };
  const accepted = await world.operator('wallets.accept-outcome', {
    ...wallet,
    transactionHash: hash,
    outcome: 'completed',
  });
  assert.equal(accepted.status, 200, accepted.body.error);
  await chain.mine(2);
  const settled = await world.compare('USDT');
  assert.equal(settled.amounts['open payouts'], undefined);
  assert.equal(settled.amounts['token fees of payouts'], -1n);
});
