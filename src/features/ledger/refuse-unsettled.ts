import type { Db } from '#platform/db/db';
import { ledgerErrors } from './errors.ts';
import { findUnsettled, lockUnsettledLists } from './unsettled/queries.ts';

/** An id that a caller gave to a line, and the field it came in. */
export interface GivenId {
  userId: string;
  id: string | undefined;
  field: string;
  /** Begins the message, where there are several. */
  where?: string;
}

/**
 * Refuses ids of unsettled records, because an id must not be settled and unsettled at once. Call it after
 * posting, in the same transaction: it locks the unsettled lists, which come after the settled ones in the
 * lock order.
 */
export async function refuseUnsettled(db: Db, given: readonly GivenId[]): Promise<void> {
  const named = given.filter(({ id }) => id !== undefined);
  if (named.length === 0) return;
  const userIds = named.map(({ userId }) => userId);
  await lockUnsettledLists(db, userIds);
  const ids = named.map(({ id }) => id!);
  const place = await findUnsettled(db, userIds, ids);
  if (place === undefined) return;
  const { field, where = '' } = named[place]!;
  throw ledgerErrors.stillUnsettled({
    message: `${where}An unsettled record has this id: settle it instead`,
    details: [{ field, message: 'is the id of an unsettled record' }],
  });
}
