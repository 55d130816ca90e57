import { type Ctx, inTransaction } from '../context.ts';
import type { IssuerEvent } from '../issuer/index.ts';
import { applyEvents } from './apply-events.ts';
import { type EventCursor, lockEventCursor, selectEventCursor, updateEventCursor } from './queries.ts';

export interface CaughtUp {
  /** Events that were read and had not been read before, whether a webhook had told them or not. */
  read: number;
  /** Of those, about people who are none of our users. */
  skipped: number;
  lastSequence: bigint;
  /** An event that the issuer does not have, though it has later ones: nothing after it is read. */
  missingSequence: bigint | null;
  /** There is more to read. */
  isBehind: boolean;
}

export const eventsInTurn = 200;

/**
 * Reads the issuer's events from where the last reading ended, in order, so that what no webhook told is known as well. The
 * issuer is asked first, without a transaction; then one transaction takes over what it told and moves the cursor, if the cursor
 * is still where the reading began: wherever a process dies the same events are read again, and of two that read them one moves
 * on. Throws an `IssuerFault` where the issuer does not answer.
 */
export async function catchUp(ctx: Ctx, { limit = eventsInTurn } = {}): Promise<CaughtUp> {
  const { lastSequence: after } = await selectEventCursor(ctx.db);
  const events = await ctx.issuer.readEvents({ after, limit });
  const { ready, missing } = takeWithoutGap(after, events);
  return inTransaction(ctx, async (ctx) => {
    const cursor = await lockEventCursor(ctx.db);
    if (cursor.lastSequence !== after) {
      const { lastSequence, missingSequence } = cursor;
      return { read: 0, skipped: 0, lastSequence, missingSequence, isBehind: true };
    }
    const skipped = await applyEvents(ctx, ready);
    const lastSequence = ready.at(-1)?.sequence ?? after;
    tellGap(ctx, cursor, missing);
    await updateEventCursor(ctx.db, {
      lastSequence,
      readAt: missing === null ? ctx.now : cursor.readAt,
      skipped: cursor.skipped + BigInt(skipped),
      missingSequence: missing,
      missingSince:
        missing === null ? null : missing === cursor.missingSequence ? cursor.missingSince : ctx.now,
    });
    const isBehind = missing === null && events.length === limit;
    return { read: ready.length, skipped, lastSequence, missingSequence: missing, isBehind };
  });
}

/** What follows the cursor without a gap, and the first sequence that is not there though later ones are. */
function takeWithoutGap(
  after: bigint,
  events: readonly IssuerEvent[],
): { ready: IssuerEvent[]; missing: bigint | null } {
  const ready: IssuerEvent[] = [];
  let next = after + 1n;
  for (const event of events) {
    if (event.sequence !== next) return { ready, missing: next };
    ready.push(event);
    next++;
  }
  return { ready, missing: null };
}

/** When it begins and when it is over; every turn would be noise. */
function tellGap(ctx: Ctx, { missingSequence }: EventCursor, missing: bigint | null): void {
  if (missing === missingSequence) return;
  if (missing !== null) {
    ctx.log.error(
      { sequence: String(missing) },
      'an event of the card issuer is missing: none after it is read',
    );
  } else {
    ctx.log.info({ sequence: String(missingSequence) }, 'the event that was missing has come');
  }
}
