import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextFor } from '#context';
import { addWallet } from '#features/users';
import { makeAddress, makeUser } from '#test/data/factories';
import { lockRows } from '#test/database/lock-rows';
import { useChain } from '#test/outside/chain';
import { makeWorld, unit } from '#test/worlds/payout';
import { createWatch } from './watch.ts';
import { watchDeposits } from './watch-deposits.ts';

const chain = useChain();

test('a deposit of a user whose ledger is locked is posted later, those of others now, each once', async (t) => {
  const world = await makeWorld(t, chain);
  const { deps } = world.worker;
  const watch = createWatch(deps.evm.get('polygon')!);
  const turn = () => watchDeposits(contextFor(deps, { kind: 'worker', job: 'test' }, deps.log), watch);
  await turn();
  const makeOwner = async (userId: string) => {
    const address = makeAddress();
    await addWallet(world.harness.operatorContext(), {
      userId,
      network: 'polygon',
      custody: 'platform',
      address,
    });
    return { userId, address };
  };
  const locked = await makeOwner(world.userId);
  const free = await makeOwner((await makeUser(world.harness)).id);
  const balances = async () => [
    (await world.funds('USDC', locked.userId)).balance / unit,
    (await world.funds('USDC', free.userId)).balance / unit,
  ];
  await chain.mint('USDC', locked.address, 3n * unit);
  await chain.mint('USDC', free.address, 5n * unit);
  await chain.mine(2);
  const rows = 'select from ledger_accounts where user_id = $1 for update';
  const lock = await lockRows(t, world.databaseUrl, rows, [locked.userId]);
  await turn();
  assert.deepEqual(await balances(), [1_000n, 5n]);
  // Also deposits in later blocks, while the lock is held.
  await chain.mint('USDC', free.address, 7n * unit);
  await chain.mine(2);
  await turn();
  assert.deepEqual(await balances(), [1_000n, 12n]);
  await lock.release();
  for (let turns = 0; turns < 2; turns++) await turn();
  assert.deepEqual(await balances(), [1_003n, 12n]);
  const { body } = await world.operator('deposits.show');
  assert.equal(body.networks[0].posted, 3);
});
