import type { Ctx, UserActor } from '#context';
import { selectNewestReads } from './queries/reads.ts';

/** One read by an app, with the fields that it got. */
export interface OwnRead {
  at: Date;
  fields: string[];
}

/** Maximum number of reads shown for each consent, the newest. */
const ownReadsMax = 10;

/** The newest reads of the user's consents, by consent, newest first; nothing for consents of other users. */
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
