import { contextFor } from '#context';
import { startChain } from '#test/outside/chain';
import { draftRules } from '../src/features/rules/draft-rules.ts';
import { publishRules } from '../src/features/rules/publish-rules.ts';
import type { Rule } from '../src/features/rules/wire.ts';
import { type Bench, measureRounds, printRounds } from './measure.ts';
import { createRate } from './withdrawals/create-rate.ts';
import { createWorld, type World } from './withdrawals/world.ts';

/** What rules cost creations: ten, as a partner may have them, and ten without sums. */
export const run: Bench = async (given) => {
  const chain = await startChain();
  const world = await createWorld(given, { networks: [chain.settings], users: 51 });
  try {
    for (let n = 0; n < 8; n++) await create(world);
    const rates = await measureRounds(
      {
        without: () => measure(world, []),
        plain: () => measure(world, plainRules(world)),
        summed: () => measure(world, summedRules(world)),
      },
      rounds,
    );
    const goal = 'goal: at least 0.85';
    printRounds(`creations with ten rules, six with sums / without (${goal})`, rates.summed, rates.without);
    printRounds('for information: with ten rules without sums / without', rates.plain, rates.without);
  } finally {
    await world.stop();
    await chain.stop();
  }
};

const roundMs = 400;
const rounds = 15;

async function measure(world: World, rules: Rule[]): Promise<number> {
  const as = (name: string) =>
    contextFor(world.deps, { kind: 'operator', name, role: 'admin' } as const, world.deps.log);
  const { revision } = await draftRules(as('drafter'), { rules });
  await publishRules(as('publisher'), { revision });
  return create(world);
}

const create = (world: World) => createRate(world, roundMs);

const plainRules = ({ partnerId, key }: World): Rule[] => [
  { name: 'Everything', verdict: 'allow' },
  ...['1000000', '2000000', '3000000'].map(
    (over): Rule => ({ name: `Over ${over}`, verdict: 'deny', amount: { over } }),
  ),
  { name: 'USDC', verdict: 'deny', currencies: ['USDC'] },
  { name: 'Of this key', verdict: 'deny', keys: [key.id], amount: { over: '500000' } },
  { name: 'Of this partner', verdict: 'deny', partners: [partnerId], amount: { over: '400000' } },
  { name: 'Of refills', verdict: 'deny', sources: ['refill'], amount: { over: '500' } },
  { name: 'In the book', verdict: 'allow', destinations: ['book'] },
  {
    name: 'Ask',
    verdict: 'approve',
    approvals: { count: 2, role: 'finance' },
    amount: { over: '10000' },
  },
];

/** Limits of the partner, of each user and of the key: three counters for each payment. */
const summedRules = (world: World): Rule[] => {
  const limit = (per: 'partner' | 'user' | 'key', window: 'hour' | 'day' | '30 days'): Rule => ({
    name: `${per} ${window}`,
    verdict: 'deny',
    sum: { over: '1000000000', window, per },
  });
  return [
    ...plainRules(world).slice(0, 4),
    limit('partner', 'hour'),
    limit('partner', 'day'),
    limit('partner', '30 days'),
    limit('user', 'day'),
    limit('user', '30 days'),
    limit('key', 'day'),
  ];
};
