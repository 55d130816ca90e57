import { isOfRoute, pageRoutesOf } from './console/page-routes.ts';
import { measurePages } from './console/pages.ts';
import { seedRecords } from './console/seed-records.ts';
import { crawl, signStaffIn } from './console/visit.ts';
import { seedLedgers } from './history/seed.ts';
import { createHistoryWorld } from './history/world.ts';
import type { Bench } from './measure.ts';
import { seedWithdrawals } from './withdrawals/lists.ts';

/**
 * Every page for staff, with three million ledger lines, a million withdrawals, and hundreds of thousands of
 * deposits, changes and deliveries. Pages that no link leads to are listed. The parts are console, partner
 * and developers.
 */
export const run: Bench = async (given) => {
  const world = await createHistoryWorld(given, { users: 2 });
  try {
    const staff = await signStaffIn(world);
    const startedAt = Date.now();
    await seedLedgers(world);
    await seedWithdrawals(world, world.userIds[1]!);
    const starts = await seedRecords(world);
    await world.db.query('analyze');
    console.log(`seeded in ${Math.round((Date.now() - startedAt) / 1000)} s`);
    const { parts } = given;
    for (const visitor of staff) {
      if (parts.length > 0 && !parts.includes(visitor.start.slice(1))) continue;
      const pages = await crawl(visitor, starts);
      await measurePages(visitor, pages);
      const missing = pageRoutesOf(visitor.start).filter(
        (route) => !pages.some((one) => isOfRoute(route, one)),
      );
      console.log(`  pages without a link: ${missing.join(', ') || 'none'}`);
    }
  } finally {
    await world.stop();
  }
};
