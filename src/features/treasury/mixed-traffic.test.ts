import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createRandom, type Random } from '#test/chaos/random';
import { makeAddress, makeFunds } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { sized } from '#test/sizes';
import { unit } from '#test/worlds/payout';
import { makeTreasury, type Treasury } from '#test/worlds/treasury';

const chain = useChain();

type Step = (world: Treasury, pick: Random['pick']) => Promise<unknown>;

const amounts = [1n, 9_999n, 10_000n, unit, 3n * unit + 7n];

const byHand = [
  { transactionType: 'sell', description: 'Fee', amountSent: '0.25' },
  {
    transactionType: 'swap-bridge',
    description: 'Swap',
    amountSent: '1',
    assetReceived: 'USDT',
    amountReceived: '0.99',
  },
];

/**
 * What happens to money, in any order. Wallets are the world’s: three of the platform, one that a user holds.
 */
function stepsOf(wallets: string[], self: string): Record<string, Step> {
  return {
    deposit: (_, pick) => chain.mint('USDC', pick(wallets), pick(amounts)),
    'a deposit of another token': (_, pick) => chain.mint('USDT', pick(wallets), pick(amounts)),
    'a transfer to a wallet in self custody': () => chain.mint('USDC', self, unit),
    'hot wallet funding': ({ wallet }) => chain.mint('USDC', wallet, 5n * unit),
    'withdraw outside': (world) => world.withdraw({ amount: '1.5' }),
    'withdraw to a user': (world, pick) => world.withdraw({ amount: '2', to: pick(wallets) }),
    'withdraw to self custody': (world) => world.withdraw({ amount: '0.5', to: self }),
    'withdraw too much': (world) => world.withdraw({ amount: '900000' }),
    'withdraw to a frozen address': async (world) => {
      const to = makeAddress();
      await world.withdraw({ amount: '1', to });
      await chain.setFrozen('USDC', to, true);
    },
    'freeze after signing': async (world) => {
      const to = makeAddress();
      await world.withdraw({ amount: '1.25', to });
      await world.worker.hold();
      await world.worker.sign();
      await chain.setFrozen('USDC', to, true);
    },
    fund: (world) => makeFunds(world.harness, world.userId, 'polygon', 'USDC', '4'),
    'post by hand': async (world, pick) => {
      const { userId } = world;
      const posted = await world.operator('ledger.post', {
        key: randomUUID(),
        lines: [{ userId, network: 'polygon', assetSent: 'USDC', ...pick(byHand) }],
      });
      assert.equal(posted.status, 200, JSON.stringify(posted.body));
    },
    'sweep into the hot wallet': async (world, pick) => moveAll(world, pick(wallets), world.wallet),
    'move between platform wallets': async (world, pick) => moveAll(world, pick(wallets), pick(wallets)),
    'register a wallet': async (world) => {
      const address = makeAddress();
      await chain.mint('USDC', address, unit);
      wallets.push((await world.makeOwner('platform', address)).address);
    },
    hold: ({ worker }) => worker.hold(),
    sign: ({ worker }) => worker.sign(),
    send: ({ worker }) => worker.send(),
    bump: ({ worker }) => {
      worker.advance(4_000);
      return worker.bump();
    },
    settle: ({ worker }) => worker.settle(),
    watch: (world) => world.watch(),
    'a block': () => chain.mine(1),
    'two blocks': () => chain.mine(2),
    compare: async (world) => {
      const { report } = await world.compare();
      for (const { currency, unexplained } of report.assets) assert.equal(unexplained, 0n, currency);
    },
  };
}

async function moveAll(world: Treasury, from: string, to: string): Promise<void> {
  const amount = await chain.balanceOf('USDC', from);
  if (amount > 0n) await world.transfer(from, to, amount / 2n + 1n);
}

for (const seed of sized([1], [1, 2, 3, 4, 5])) {
  test(`nothing is unexplained in any order of what happens: seed ${seed}`, async (t) => {
    const world = await makeTreasury(t, chain, { depositMinimums: new Map([['USDC', 10_000n]]) });
    const { pick } = createRandom(String(seed), 'steps');
    const owners = [await world.makeOwner(), await world.makeOwner(), await world.makeOwner()];
    const { address: self } = await world.makeOwner('self');
    const steps = stepsOf(
      owners.map(({ address }) => address),
      self,
    );
    await world.watch();
    await world.compare();
    const done: string[] = [];
    for (let count = 0; count < sized(120, 300); count++) {
      const name = pick(Object.keys(steps));
      done.push(name);
      await steps[name]!(world, pick).catch((error) => {
        throw new Error(`${done.join(', ')}: ${error}`, { cause: error });
      });
    }
    // Everything comes to its end.
    for (let turn = 0; turn < 3; turn++) await world.pay();
    await world.watch();
    await steps.compare!(world, pick);
    const { report } = await world.compare();
    const lasting = ['opening', 'hot wallet funding', 'manual postings', 'transfers in below the minimum'];
    const moves = ['credits between own wallets', 'wallets counted later', 'transfers in not credited'];
    const names = report.assets.flatMap(({ explanations }) => explanations.map(({ name }) => name));
    assert.deepEqual(
      names.filter((name) => ![...lasting, ...moves, 'from before the count'].includes(name)),
      [],
    );
  });
}
