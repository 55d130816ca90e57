import { startChain } from '../test/chain.ts';
import type { Bench } from './measure.ts';
import { measureCreations } from './withdrawals/creations.ts';
import { measureLists } from './withdrawals/lists.ts';
import { measureSettlement } from './withdrawals/settlement.ts';
import { createWorld } from './withdrawals/world.ts';

/** Creating, paying and listing withdrawals, each against a limit measured in the same run. */
export const run: Bench = async (given) => {
  const chain = await startChain();
  const world = await createWorld(given, { networks: [chain.settings], users: 51 });
  try {
    await measureCreations(world);
    await measureSettlement(world);
    await measureLists(world);
  } finally {
    await world.stop();
    await chain.stop();
  }
};
