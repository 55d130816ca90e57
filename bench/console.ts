import { measurePages } from './console/pages.ts';
import { crawl, signStaffIn } from './console/visit.ts';
import { seedLedgers } from './history/seed.ts';
import { createHistoryWorld } from './history/world.ts';
import type { Bench } from './measure.ts';
import { seedWithdrawals } from './withdrawals/lists.ts';

/**
 * Every page for staff that a link leads to, with three million ledger lines and a million withdrawals. The
 * parts are console, partner and developers.
 */
export const run: Bench = async (given) => {
  const world = await createHistoryWorld(given, { users: 2 });
  try {
    const staff = await signStaffIn(world);
    const startedAt = Date.now();
    await seedLedgers(world);
    await seedWithdrawals(world, world.userIds[1]!);
    await world.db.query('analyze');
    console.log(`seeded in ${Math.round((Date.now() - startedAt) / 1000)} s`);
    const { parts } = given;
    for (const visitor of staff) {
      if (parts.length > 0 && !parts.includes(visitor.start.slice(1))) continue;
      const pages = await crawl(visitor);
      await measurePages(visitor, pages);
    }
  } finally {
    await world.stop();
  }
};
