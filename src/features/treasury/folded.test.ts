import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useChain } from '#test/outside/chain';
import { unit } from '#test/worlds/payout';
import { makeTreasury, type Treasury } from '#test/worlds/treasury';
import { itemsOpenMs } from './timing.ts';

const chain = useChain();

const itemsOf = async ({ db }: Treasury) =>
  (await db.query<{ count: number }>('select count(*)::int as count from treasury_items'))[0]!.count;

test('dust, funding and transfers between own wallets are only summed after a day', async (t) => {
  const depositMinimums = new Map([
    ['USDC', unit],
    ['USDT', unit],
  ] as const);
  const world = await makeTreasury(t, chain, { depositMinimums });
  const [one, other] = [await world.makeOwner(), await world.makeOwner()];
  await world.compare();
  const fromBlock = Number(await chain.call<string>('eth_blockNumber'));
  for (const amount of [1n, 2n, 3n]) await chain.mint('USDC', one.address, amount);
  await chain.mint('USDC', world.wallet, 40n * unit);
  await chain.mint('USDT', one.address, 5n);
  await world.transfer(one.address, other.address, 5n, 'USDT');
  await chain.mine(2);
  await world.watch();
  const before = await world.compare();
  assert.equal(before.amounts['transfers in below the minimum'], 6n);
  assert.equal(await itemsOf(world), 6);
  world.worker.advance(itemsOpenMs + 1_000);
  const after = await world.compare();
  assert.deepEqual([after.amounts, after.shortfall], [before.amounts, 0n]);
  assert.equal(await itemsOf(world), 0);

  // The minimum is lowered, and the blocks are read again.
  const { settings, databaseUrl } = world;
  const lowered = await makeTreasury(t, chain, {
    ...settings,
    databaseUrl,
    depositMinimums: new Map([['USDT', unit]] as const),
  });
  const rescan = await lowered.operator('deposits.rescan', { network: 'polygon', fromBlock });
  assert.equal(rescan.status, 200, rescan.body.error);
  await lowered.watch();
  const credited = await lowered.compare();
  assert.deepEqual([credited.unexplained, credited.shortfall], [0n, 0n]);
  assert.equal(credited.amounts['transfers in below the minimum'], undefined);
  lowered.worker.advance(itemsOpenMs + 1_000);
  assert.deepEqual((await lowered.compare()).amounts, credited.amounts);
  assert.equal(await itemsOf(lowered), 0);
});
