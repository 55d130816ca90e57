import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWallet, useChain } from '#test/outside/chain';
import { unit } from '#test/worlds/payout';
import { makeTreasury } from '#test/worlds/treasury';

const chain = useChain();

test('two hot wallets of a network are counted together, and the payouts of both are explained', async (t) => {
  const signerKeys = [await makeWallet(chain), await makeWallet(chain)];
  const world = await makeTreasury(t, chain, { signerKeys });
  const before = await world.compare();
  assert.deepEqual([before.held, before.owed], [2_000_000n * unit, 1_000n * unit]);
  const { lanes } = world.worker;
  const ids: string[] = [];
  for (const lane of lanes) {
    ids.push(await world.withdraw({ amount: '7' }));
    await lane.hold();
    // As if the other wallet could not sign: this one takes all.
    for (const { lane: each } of lanes) each.ableAt = undefined;
    await lane.sign();
    await lane.send();
  }
  await chain.mine(2);
  const open = await world.compare();
  assert.equal(open.amounts['open payouts'], -14n * unit);
  assert.deepEqual([open.unexplained, open.shortfall], [0n, 0n]);
  for (const lane of lanes) await lane.settle();
  const settled = await world.compare();
  assert.deepEqual([settled.held, settled.owed], [1_999_986n * unit, 986n * unit]);
  assert.deepEqual(settled.amounts, before.amounts);
  assert.deepEqual([settled.unexplained, settled.shortfall], [0n, 0n]);
  await world.expectPaid(...ids);
  const paid = await Promise.all(world.wallets.map(async (wallet) => (await chain.paidOut(wallet)).length));
  assert.deepEqual(paid, [1, 1]);
});

test('a shortfall above the limit halts both wallets', async (t) => {
  const signerKeys = [await makeWallet(chain), await makeWallet(chain)];
  const world = await makeTreasury(t, chain, { signerKeys, haltShortfall: '10' });
  await world.compare();
  await world.transfer(world.wallets[1]!, world.wallets[0]!, 5n * unit);
  await chain.mine(2);
  assert.equal((await world.compare()).shortfall, 0n, 'it moved between our wallets');
  await world.setBalance(world.wallets[1]!, 999_000n * unit);
  await chain.mine(2);
  await world.compare();
  const rows = await world.db.query<{ address: string; reason: string | null }>(
    'select address, halted_reason as reason from payout_signers order by address',
  );
  assert.deepEqual(
    rows.map(({ address }) => address),
    world.wallets.toSorted(),
  );
  for (const { reason } of rows) assert.match(reason!, /^the treasury lacks /);
});
