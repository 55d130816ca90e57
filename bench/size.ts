import { createPool } from '#platform/db/db';
import { measureFilters } from './history/filters.ts';
import { createHistoryWorld, readSmallUsers } from './history/world.ts';
import type { Bench } from './measure.ts';
import { measurePages } from './size/pages.ts';
import { measurePosting, printRates } from './size/posting.ts';
import { linesOfOther, seedLines } from './size/seed.ts';
import { measureVacuum, printSizes } from './size/tables.ts';
import { measureVerify } from './size/verify.ts';

const defaultLines = 20_000_000;
/** Users for postings into empty tables. */
const probeUsers = 100;

/**
 * A large ledger: half of all lines are one user's, the others have a thousand each.
 * `npm run bench -- size lines=500000` is a short run. Parts: pages, filters, posting, tables, verify.
 */
export const run: Bench = async ({ parts, ...given }) => {
  const { lines, wants } = readParts(parts);
  const world = await createHistoryWorld(given, { users: 1 + probeUsers });
  // Indexes of twenty million lines take minutes.
  const patient = createPool({
    url: given.databaseUrl,
    connectionsMax: 4,
    statementTimeoutMs: 3_600_000,
    log: given.log,
  });
  try {
    const probes = world.userIds.slice(1);
    const empty = wants('posting') ? await measurePosting(world, probes) : undefined;
    const startedAt = Date.now();
    await seedLines(patient, { lines, bigUser: world.bigUser });
    console.log(`${lines} lines seeded in ${Math.round((Date.now() - startedAt) / 1000)} s`);
    world.smallUsers = await readSmallUsers(world);
    await measureVacuum(patient, 'for the first time');
    await patient.query('checkpoint');
    if (wants('pages')) await measurePages(world, patient);
    if (wants('tables')) {
      await measureVacuum(patient, 'once more');
      await printSizes(patient);
    }
    if (wants('filters')) await measureFilters(world);
    if (wants('tables') && wants('filters')) await printSizes(patient);
    if (empty) {
      printRates('of users with few lines, at this size', await measurePosting(world, probes), empty);
      printRates('of all other users', await measurePosting(world, world.smallUsers), empty);
      printRates('of the largest user', await measurePosting(world, [world.bigUser]), empty);
      await measureVacuum(patient, 'after these postings');
    }
    if (wants('verify')) await measureVerify(world);
  } finally {
    await patient.end();
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
  if (!Number.isInteger(lines / 2 / linesOfOther) || lines < 200_000) {
    throw new Error(`lines must be a multiple of ${2 * linesOfOther}, 200000 at least`);
  }
  return { lines, wants: (part: string) => named.length === 0 || named.includes(part) };
}
