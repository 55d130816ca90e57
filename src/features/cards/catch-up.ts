import type { FeedEvent, IssuerEvent } from '#adapters/issuer';
import { type Ctx, inTransaction } from '#context';
import { applyEvents } from './apply-events.ts';
import { type EventCursor, lockEventCursor, selectEventCursor, updateEventCursor } from './queries/cursor.ts';

export interface CaughtUp {
  /** Events read now for the first time from the feed, whether or not a webhook brought them before. */
  read: number;
  /** Of those, events about objects that we do not store, or about people who are not our users. */
  skipped: number;
  lastSequence: bigint;
  /**
   * An event that the issuer does not have, though it has later ones, or that cannot be read: nothing after
   * it is read.
   */
  missingSequence: bigint | null;
  isUnreadable: boolean;
  /** There is more to read. */
  isBehind: boolean;
}

export const eventsInTurn = 200;

/**
 * Reads the issuer's next events in order, so that events without a webhook are known, too. Throws an
 * `IssuerFault` if the issuer does not answer.
 */
export async function catchUp(ctx: Ctx, { limit = eventsInTurn } = {}): Promise<CaughtUp> {
  // The issuer is asked first, without a transaction. Then one transaction applies the events and moves the
  // cursor, if it is still where the reading began: after a crash the same events are read again, and of two
  // workers that read them one moves on.
  const { lastSequence: after } = await selectEventCursor(ctx.db);
  const events = await ctx.issuer.readEvents({ after, limit });
  const { ready, foreign, lastSequence, stop } = takeInOrder(after, events);
  return inTransaction(ctx, async (ctx) => {
    const cursor = await lockEventCursor(ctx.db);
    if (cursor.lastSequence !== after) {
      const { lastSequence, missingSequence, isUnreadable } = cursor;
      return { read: 0, skipped: 0, lastSequence, missingSequence, isUnreadable, isBehind: true };
    }
    const skipped = foreign.length + (await applyEvents(ctx, ready));
    tellForeign(ctx, foreign);
    tellStop(ctx, cursor, stop);
    const missingSequence = stop?.sequence ?? null;
    const isUnreadable = stop?.isUnreadable ?? false;
    await updateEventCursor(ctx.db, {
      lastSequence,
      readAt: stop ? cursor.readAt : ctx.now,
      skipped: cursor.skipped + BigInt(skipped),
      missingSequence,
      missingSince: stop && (isSameStop(cursor, stop) ? cursor.missingSince : ctx.now),
      isUnreadable,
    });
    const isBehind = stop === null && events.length === limit;
    const read = ready.length + foreign.length;
    return { read, skipped, lastSequence, missingSequence, isUnreadable, isBehind };
  });
}

interface Stop {
  sequence: bigint;
  /** It is there and cannot be read; otherwise it is not there though later ones are. */
  isUnreadable: boolean;
}

interface Taken {
  ready: IssuerEvent[];
  /** Sequences of events about objects that we do not store. */
  foreign: bigint[];
  lastSequence: bigint;
  stop: Stop | null;
}

/** What follows the cursor, up to the first event that is not there or cannot be read. */
function takeInOrder(after: bigint, events: readonly FeedEvent[]): Taken {
  const taken: Taken = { ready: [], foreign: [], lastSequence: after, stop: null };
  for (const event of events) {
    const sequence = taken.lastSequence + 1n;
    if (event.sequence !== sequence) return { ...taken, stop: { sequence, isUnreadable: false } };
    if (event.type === 'unreadable') return { ...taken, stop: { sequence, isUnreadable: true } };
    if (event.type === 'foreign') taken.foreign.push(sequence);
    else taken.ready.push(event);
    taken.lastSequence = sequence;
  }
  return taken;
}

/** Each event is read once, so this is logged once. */
function tellForeign(ctx: Ctx, foreign: readonly bigint[]): void {
  if (foreign.length === 0) return;
  ctx.log.warn(
    { sequences: foreign.map(String) },
    'the card issuer sent events of unknown types; they are skipped',
  );
}

/** Logs when a stop begins and when it ends, not at every turn. */
function tellStop(ctx: Ctx, cursor: EventCursor, stop: Stop | null): void {
  if (isSameStop(cursor, stop)) return;
  if (stop) {
    ctx.log.error(
      { sequence: String(stop.sequence) },
      stop.isUnreadable
        ? 'an event of the card issuer is not as the protocol says: none after it is read'
        : 'an event of the card issuer is missing: none after it is read',
    );
  } else {
    ctx.log.info(
      { sequence: String(cursor.missingSequence) },
      'no event blocks the card issuer’s feed any more',
    );
  }
}

const isSameStop = ({ missingSequence, isUnreadable }: EventCursor, stop: Stop | null) =>
  missingSequence === (stop?.sequence ?? null) && isUnreadable === (stop?.isUnreadable ?? false);
