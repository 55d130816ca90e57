import type { Db } from '#platform/db/db';
import { deleteOldRequests } from './queries.ts';

const keptMs = 7 * 86_400_000;
const keptMaxUsual = 100_000;
const batch = 10_000;
const batchesMax = 20;

/** Keeps a week, and of each partner the newest rows. Returns how many were deleted. */
export async function sweepRequests(
  { db, now }: { db: Db; now: Date },
  keptMax = keptMaxUsual,
): Promise<number> {
  const before = new Date(now.getTime() - keptMs);
  let deleted = 0;
  for (let turn = 0; turn < batchesMax; turn++) {
    const some = await deleteOldRequests(db, { before, keptMax, limit: batch });
    deleted += some;
    if (some < batch) break;
  }
  return deleted;
}
