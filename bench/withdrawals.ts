import { startChain } from '#test/outside/chain';
import type { Bench } from './measure.ts';
import { measureAgainstInserts, measureCreations, measureTogether } from './withdrawals/creations.ts';
import { measureLanes } from './withdrawals/lanes.ts';
import { measureLists } from './withdrawals/lists.ts';
import { measureSettlement } from './withdrawals/settlement.ts';
import { createWorld, type World } from './withdrawals/world.ts';

const measures: Record<string, (world: World) => Promise<void>> = {
  creations: measureCreations,
  inserts: measureAgainstInserts,
  together: measureTogether,
  settlement: measureSettlement,
  lanes: measureLanes,
  lists: measureLists,
};

/** Creating, paying and listing withdrawals, each against a limit measured in the same run. */
export const run: Bench = async (given) => {
  const chain = await startChain();
  const world = await createWorld(given, { networks: [chain.settings], users: 65 });
  try {
    for (const [name, measure] of Object.entries(measures)) {
      if (given.parts.length === 0 || given.parts.includes(name)) await measure(world);
    }
  } finally {
    await world.stop();
    await chain.stop();
  }
};
