import type { Db } from '#platform/db/db';
import { lockFreeAccounts, lockFreeLists, type Owner } from './queries/accounts.ts';

/**
 * Takes the locks of a posting to these owners, without waiting. True for each owner whose rows are locked
 * now or do not exist yet, so that a session that holds one user's rows delays only that user, not the whole
 * batch.
 */
export async function lockFree(db: Db, owners: readonly Owner[]): Promise<boolean[]> {
  const busy = await lockFreeLists(
    db,
    owners.map(({ userId }) => userId),
  );
  const isFree = await lockFreeAccounts(db, owners);
  return owners.map(({ userId }, at) => isFree[at]! && !busy.has(userId));
}
