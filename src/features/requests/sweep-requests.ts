import type { Db } from '#platform/db/db';
import { dayMs } from '#platform/values/duration';
import { deleteOldRequests, deleteSurplus, selectLoggedPartners } from './queries.ts';

const keptMs = 7 * dayMs;
const keptMaxUsual = 100_000;
const batch = 10_000;
const batchesMax = 20;

/** Keeps a week. Returns how many rows were deleted. */
export function sweepRequests({ db, now }: { db: Db; now: Date }): Promise<number> {
  const before = new Date(now.getTime() - keptMs);
  return inBatches(() => deleteOldRequests(db, { before, limit: batch }));
}

/** Keeps the newest rows of each partner: one statement for each, because it reads all that are kept. */
export async function capRequests({ db }: { db: Db }, keptMax = keptMaxUsual): Promise<number> {
  let deleted = 0;
  for (const partnerId of await selectLoggedPartners(db))
    deleted += await inBatches(() => deleteSurplus(db, { partnerId, keptMax, limit: batch }));
  return deleted;
}

async function inBatches(deleteSome: () => Promise<number>): Promise<number> {
  let deleted = 0;
  for (let turn = 0; turn < batchesMax; turn++) {
    const some = await deleteSome();
    deleted += some;
    if (some < batch) break;
  }
  return deleted;
}
