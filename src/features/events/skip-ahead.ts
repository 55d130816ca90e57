import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { holdNumbering, noteServer, skipSequences } from './queries.ts';

/** Where the clock is wrong: nobody has read so many events since a backup that can be restored. */
const elseSkipped = 1_000_000;

export interface SkippedAhead {
  streams: number;
  continuesAfter: number;
}

/**
 * After a restore, subscribers have read numbers that the database no longer knows: new events would get
 * them again, and be passed over. So all feeds continue far ahead: by the clock, because a second server may
 * be made from the same backup, or from the same standby, and must not give the numbers of the first.
 */
export function skipAhead(ctx: Ctx): Promise<SkippedAhead> {
  return inTransaction(ctx, async (ctx) => {
    await holdNumbering(ctx.db);
    // The worker need not do the same again.
    await noteServer(ctx.db);
    return skip(ctx);
  });
}

/**
 * The same without an operator, on each server that is not the one that numbered last. Also with synchronous
 * replication: a server between the two may have had no standbys, and this one would not know of it.
 */
export async function followServer(ctx: Ctx): Promise<void> {
  if (await noteServer(ctx.db)) await skip(ctx);
}

async function skip(ctx: Ctx): Promise<SkippedAhead> {
  const after = await skipSequences(ctx.db, elseSkipped);
  await recordChange(ctx, { action: 'events.skip-ahead', subject: 'events:all', after: { ...after } });
  return after;
}
