import { measureFilters } from './history/filters.ts';
import { measurePages } from './history/pages.ts';
import { measurePosting } from './history/posting.ts';
import { measureReading } from './history/reading.ts';
import { seedLedgers } from './history/seed.ts';
import { measureStatement } from './history/statement.ts';
import { createHistoryWorld, readSmallUsers } from './history/world.ts';
import type { Bench } from './measure.ts';

const allParts = {
  pages: measurePages,
  filters: measureFilters,
  reading: measureReading,
  statement: measureStatement,
  posting: measurePosting,
};

/**
 * Reading and posting ledger lines: a user with three million of them beside ten thousand with a hundred
 * each.
 */
export const run: Bench = async ({ parts, ...given }) => {
  const unknown = parts.find((part) => !Object.hasOwn(allParts, part));
  if (unknown) throw new Error(`no part ${unknown}: ${Object.keys(allParts).join(', ')}`);
  const world = await createHistoryWorld(given);
  try {
    const startedAt = Date.now();
    await seedLedgers(world);
    console.log(`seeded in ${Math.round((Date.now() - startedAt) / 1000)} s`);
    world.smallUsers = await readSmallUsers(world);
    for (const [name, measure] of Object.entries(allParts)) {
      if (parts.length === 0 || parts.includes(name)) await measure(world);
    }
  } finally {
    await world.stop();
  }
};
