import { measureFilters } from './history/filters.ts';
import { createHistoryWorld, readSmallUsers } from './history/world.ts';
import type { Bench } from './measure.ts';
import { measurePages } from './size/pages.ts';
import { measurePosting, printRates } from './size/posting.ts';
import { seedLines } from './size/seed.ts';
import { measureVacuum, printSizes, withoutLimit } from './size/tables.ts';
import { measureVerify } from './size/verify.ts';

const defaultLines = 20_000_000;
/** Users for postings into empty tables. */
const probeUsers = 100;

/**
 * A large ledger: half of all lines are one user's, ten thousand users have the other half.
 * `npm run bench -- size lines=500000` is a short run. Parts: pages, filters, posting, tables, verify.
 */
export const run: Bench = async ({ parts, ...given }) => {
  const { lines, wants } = readParts(parts);
  const world = await createHistoryWorld(given, { users: 1 + probeUsers });
  try {
    const probes = world.userIds.slice(1);
    const empty = wants('posting') ? await measurePosting(world, probes) : undefined;
    const startedAt = Date.now();
    await seedLines(world.db, { lines, bigUser: world.bigUser });
    console.log(`${lines} lines seeded in ${Math.round((Date.now() - startedAt) / 1000)} s`);
    world.smallUsers = await readSmallUsers(world);
    await measureVacuum(world.db, 'for the first time');
    await withoutLimit(world.db, 'checkpoint');
    if (wants('pages')) await measurePages(world);
    if (wants('tables')) {
      await measureVacuum(world.db, 'once more');
      await printSizes(world.db, lines);
    }
    if (wants('filters')) await measureFilters(world);
    if (wants('tables') && wants('filters')) await printSizes(world.db, lines);
    if (empty) {
      printRates('of users with few lines, at this size', await measurePosting(world, probes), empty);
      printRates('of all other users', await measurePosting(world, world.smallUsers), empty);
      printRates('of the largest user', await measurePosting(world, [world.bigUser]), empty);
      await measureVacuum(world.db, 'after these postings');
    }
    if (wants('verify')) await measureVerify(world);
  } finally {
    await world.stop();
  }
};

const allParts = ['pages', 'filters', 'posting', 'tables', 'verify'];

function readParts(parts: readonly string[]) {
  const named = parts.filter((part) => !part.startsWith('lines='));
  const unknown = named.find((part) => !allParts.includes(part));
  if (unknown) throw new Error(`no part ${unknown}: lines=<number>, ${allParts.join(', ')}`);
  const given = parts.find((part) => part.startsWith('lines='))?.slice('lines='.length);
  const lines = given === undefined ? defaultLines : Number(given);
  // Each of ten thousand users has as many lines.
  if (!Number.isInteger(lines / 20_000) || lines < 200_000) {
    throw new Error('lines must be a multiple of 20000, 200000 at least');
  }
  return { lines, wants: (part: string) => named.length === 0 || named.includes(part) };
}
