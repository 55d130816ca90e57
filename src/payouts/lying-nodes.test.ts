import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { useChain } from '../../test/chain.ts';
import { makeWorld, type NodeProxy, startProxy, type Worker, type World } from '../../test/payout-world.ts';

const chain = useChain();
const gwei = 10n ** 9n;

/** Worlds whose worker has two nodes, of which one can be made to lie: as the first that is asked, and as the second. */
const orders = ['first', 'second'] as const;

interface TwoNodes {
  world: World;
  worker: Worker;
  liar: NodeProxy;
  honest: NodeProxy;
}

async function withTwoNodes(t: TestContext, liarIs: (typeof orders)[number]): Promise<TwoNodes> {
  const [liar, honest] = [await startProxy(t, chain.rpcUrl), await startProxy(t, chain.rpcUrl)];
  const rpcUrls = [liar.url, honest.url];
  const world = await makeWorld(t, chain, { rpcUrls: liarIs === 'first' ? rpcUrls : rpcUrls.toReversed() });
  return { world, worker: world.worker, liar, honest };
}

for (const order of orders) {
  describe(`of two nodes the ${order} lies`, () => {
    test('about fees: payouts and raised payouts offer what the other says', async (t) => {
      const { world, worker, liar } = await withTwoNodes(t, order);
      await chain.call('evm_setAutomine', false);
      t.after(() => chain.call('evm_setAutomine', true));
      const absurd = `0x${(10_000n * gwei).toString(16)}`;
      liar.meddle = async ({ method }, forward) => {
        if (method === 'eth_maxPriorityFeePerGas') return absurd;
        const answer = await forward();
        return method === 'eth_getBlockByNumber' && answer ? { ...answer, baseFeePerGas: absurd } : answer;
      };
      const ids = [await world.withdraw(), await world.withdraw()];
      // One turn at each node.
      await worker.hold();
      await worker.sign();
      ids.push(await world.withdraw());
      await worker.hold();
      await worker.sign();
      worker.advance(world.settings.bumpAfterMs);
      await worker.bump();
      assert.ok((liar.counts.get('eth_maxPriorityFeePerGas') ?? 0) > 0, 'the liar was asked');
      const attempts = (await Promise.all(ids.map(world.attempts))).flat();
      assert.equal(attempts.length, 4, 'three payouts, and the first of them raised');
      for (const { tip, fee } of attempts)
        assert.ok(tip < 40n * gwei && fee < 1_000n * gwei, `${tip} ${fee}`);
      await worker.send();
      await chain.mine(3);
      liar.meddle = undefined;
      await worker.settle();
      await world.expectPaid(...ids);
    });
  });
}
