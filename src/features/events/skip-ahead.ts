import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { skipSequences } from './queries.ts';

/** Nobody has read so many events since a backup that can be restored. */
const skipped = 1_000_000;

export interface SkippedAhead {
  streams: number;
  skipped: number;
}

/**
 * After a restore, subscribers have read numbers that the database no longer knows: new events would get
 * them again, and be passed over. So all feeds continue far ahead.
 */
export function skipAhead(ctx: Ctx): Promise<SkippedAhead> {
  return inTransaction(ctx, async (ctx) => {
    const after = { streams: await skipSequences(ctx.db, skipped), skipped };
    await recordChange(ctx, { action: 'events.skip-ahead', subject: 'events:all', after });
    return after;
  });
}
