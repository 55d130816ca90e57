import type { Db } from '#platform/db/db';
import { lockFreeAccounts, lockFreeLists, type Owner } from './queries.ts';

/**
 * Locks all that posting to these owners locks, without waiting. True for each owner to whom posting will not
 * wait, so that a session that keeps one user's rows locked delays that user and not the whole batch.
 */
export async function lockFree(db: Db, owners: readonly Owner[]): Promise<boolean[]> {
  const busy = await lockFreeLists(
    db,
    owners.map(({ userId }) => userId),
  );
  const isFree = await lockFreeAccounts(db, owners);
  return owners.map(({ userId }, at) => isFree[at]! && !busy.has(userId));
}
