import type { Ctx, UserActor } from '#context';
import { selectNewestReads } from './queries.ts';

/** One time at which an app got data, and which fields it was given. */
export interface OwnRead {
  at: Date;
  fields: string[];
}

/** Of each consent at most so many, the newest. */
const ownReadsMax = 10;

/** The newest reads of the user's own consents, by consent, newest first. Of a consent of somebody else there is nothing. */
export async function listOwnReads(
  ctx: Ctx<UserActor>,
  { consentIds }: { consentIds: readonly string[] },
): Promise<ReadonlyMap<string, OwnRead[]>> {
  const { userId } = ctx.actor;
  const rows = await selectNewestReads(ctx.db, { userId, consentIds, limitEach: ownReadsMax });
  const reads = new Map<string, OwnRead[]>();
  for (const { consentId, at, fields } of rows)
    reads.set(consentId, [...(reads.get(consentId) ?? []), { at, fields }]);
  return reads;
}
