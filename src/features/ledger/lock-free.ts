import type { Db } from '#platform/db/db';
import { lockFreeAccounts, lockFreeLists, type Owner } from './queries.ts';

/**
 * Locks all that posting to these owners locks, where nobody else has it locked, and says for each whether posting waits for nobody.
 * So one session that keeps a user's rows locked holds up that user alone, and not the whole batch.
 */
export async function lockFree(db: Db, owners: readonly Owner[]): Promise<boolean[]> {
  const busy = await lockFreeLists(
    db,
    owners.map(({ userId }) => userId),
  );
  const isFree = await lockFreeAccounts(db, owners);
  return owners.map(({ userId }, at) => isFree[at]! && !busy.has(userId));
}
