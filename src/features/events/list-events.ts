import type { Ctx } from '#context';
import { eventErrors } from './errors.ts';
import { type EventReader, selectFeed } from './queries.ts';

export interface FeedRequest {
  reader: EventReader;
  after: number;
  limit: number;
  types?: readonly string[] | undefined;
}

export interface FeedPage {
  streamId: bigint | null;
  /** Each event as it was stored: the same bytes that a webhook sends. */
  bodies: string[];
  /** What to read after next time. */
  next: number;
  /** Nothing more is stored after `next`. */
  isEnd: boolean;
}

/** How many events a filter may pass over in one request. */
const scannedMax = 10_000;

/** Events of a subscriber after a number, oldest first; none is left out. */
export async function listEvents(
  { db }: Pick<Ctx, 'db'>,
  { reader, after, limit, types }: FeedRequest,
): Promise<FeedPage> {
  const slice = await selectFeed(db, reader, {
    after: BigInt(after),
    limit,
    scanned: scannedMax,
    ...(types && { types }),
  });
  const { last, swept, next, bodies, streamId } = slice;
  if (after > last) {
    const newest = `the newest event has the sequence ${last}`;
    throw eventErrors.sequenceAhead({ message: `after is ahead of the feed: ${newest}` });
  }
  if (after > 0 && after < swept) {
    const oldest = `the oldest event that is kept has the sequence ${swept + 1n}`;
    throw eventErrors.eventsExpired({ message: `Events after ${after} were deleted: ${oldest}` });
  }
  return { streamId, bodies, next: Number(next), isEnd: next >= last };
}
