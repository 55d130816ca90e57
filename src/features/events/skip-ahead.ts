import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { mayHaveLost } from '#platform/db/server-change';
import { noteServer, skipSequences } from './queries.ts';

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
    // The worker need not do the same again.
    await noteServer(ctx.db);
    return skip(ctx);
  });
}

/**
 * The same without an operator, if this server may have lost events that another one numbered: also with
 * synchronous replication, if the former one had no standbys to wait for.
 */
export async function followServer(ctx: Ctx): Promise<void> {
  const { server, isReplicated, serverNow } = await noteServer(ctx.db);
  if (server === null || server === serverNow) return;
  if (!isReplicated || mayHaveLost(ctx, server, serverNow)) await skip(ctx);
}

async function skip(ctx: Ctx): Promise<SkippedAhead> {
  const after = { streams: await skipSequences(ctx.db, skipped), skipped };
  await recordChange(ctx, { action: 'events.skip-ahead', subject: 'events:all', after });
  return after;
}
