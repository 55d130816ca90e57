import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAddress } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { unit } from '#test/worlds/payout';
import { makeTreasury } from '#test/worlds/treasury';

const chain = useChain();

test('200 treasury.show: what the last comparison found, without asking nodes', async (t) => {
  const world = await makeTreasury(t, chain, {});
  const before = (await world.operator('treasury.show')).body;
  assert.deepEqual(before, {
    networks: [{ network: 'polygon', reconciledAt: null, block: null, isCounting: false }],
    assets: [],
  });
  await world.compare();
  const stranger = `0x${'12'.repeat(20)}`;
  const hash = await world.transfer(world.wallet, stranger, 5n * unit, 'USDT');
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
  const found = await world.operator('treasury.find-transaction', { transactionHash: hash });
  const [item] = found.body.items;
  assert.deepEqual(
    [item.kind, item.currency, item.amount, item.note],
    ['transfer', 'USDT', '-5', 'unknown transfers out'],
  );
});

test('200 treasury.find-transaction: the payout of a withdrawal, a deposit and a posting by hand', async (t) => {
  const world = await makeTreasury(t, chain, {});
  const { userId, address } = await world.makeOwner();
  await world.watch();
  await world.compare();
  const find = async (transactionHash: string) =>
    (await world.operator('treasury.find-transaction', { transactionHash })).body.items.map(
      ({ kind, userId, amount }: Record<string, unknown>) => [kind, userId, amount],
    );
  const withdrawalId = await world.withdraw();
  await world.pay();
  const { transactionHash } = await world.read(withdrawalId);
  assert.deepEqual(await find(transactionHash!), [['payout', world.userId, '1']]);
  const from = makeAddress();
  await chain.mint('USDC', from, 3n * unit);
  const deposit = await world.transfer(from, address, 3n * unit);
  await chain.mine(2);
  await world.watch();
  assert.deepEqual(await find(deposit), [['deposit', userId, '3']]);
  const byHand = `0x${'ab'.repeat(32)}`;
  const line = { userId, transactionType: 'buy', network: 'polygon', assetReceived: 'USDC' };
  const { status, body } = await world.operator('ledger.post', {
    key: 'by hand',
    lines: [{ ...line, amountReceived: '2', description: 'A test', transactionHash: byHand, logIndex: 4 }],
  });
  assert.equal(status, 200, body.error);
  await world.compare();
  assert.deepEqual(await find(byHand), [['ledger line', userId, '2']]);
});
