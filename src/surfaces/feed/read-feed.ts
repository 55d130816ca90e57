import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '#context';
import {
  type EventReader,
  eventErrors,
  type FeedPage,
  type FeedRequest,
  listEvents,
  openStreams,
} from '#features/events';
import { confirmCommits } from '#platform/db/confirm';
import type { Visit, WaitingRoom } from './waiting-room.ts';

/** Of one process; each request that waits holds a socket. */
const waitingMax = { all: 2_000, own: 20 };

export interface Waiting {
  room: WaitingRoom;
  waitMs: number;
  /** The caller has gone. */
  signal: AbortSignal;
}

/** Reads the feed; if it has nothing new, waits up to `waitMs` for the next event. */
export async function readFeed(
  { db, isReplicationSynchronous }: Pick<Deps, 'db' | 'isReplicationSynchronous'>,
  request: FeedRequest,
  { room, waitMs, signal }: Waiting,
): Promise<FeedPage & { hasWaited: boolean }> {
  const endsAt = performance.now() + waitMs;
  const list = async (from: FeedRequest) => {
    // A number that a promotion takes back would be given to another event, which the reader passes over. A
    // replica may show it before the standby has it.
    const page = await listEvents({ db: isReplicationSynchronous ? db : db.reading() }, from);
    if (page.bodies.length > 0 && isReplicationSynchronous) await confirmCommits(db);
    return page;
  };
  let page = await list(request);
  if (waitMs === 0 || !isEmpty(page)) return { ...page, hasWaited: false };
  const { all, own } = room.count(request.reader);
  if (all >= waitingMax.all || own >= waitingMax.own) {
    throw eventErrors.tooManyWaiting({ headers: { 'retry-after': '5' } });
  }
  while (isEmpty(page) && !room.isClosed && !signal.aborted && performance.now() < endsAt) {
    if (page.streamId === null) await openStreams(db, subscribersOf(request.reader));
    const after = page.next;
    const { streamId } = page;
    const visit = streamId === null ? undefined : room.enter({ ...request, streamId }, BigInt(after));
    try {
      // Read again after entering: what came in between would be missed.
      page = await list({ ...request, after });
      if (visit && isEmpty(page)) await untilEnded(visit, endsAt - performance.now(), signal);
    } finally {
      if (visit) room.leave(visit);
    }
  }
  return { ...page, hasWaited: true };
}

const subscribersOf = ({ partnerId, integrationId }: EventReader) =>
  integrationId === undefined ? { partnerIds: [partnerId!] } : { integrationIds: [integrationId] };

const isEmpty = ({ bodies, isEnd }: FeedPage) => bodies.length === 0 && isEnd;

async function untilEnded(visit: Visit, waitMs: number, signal: AbortSignal): Promise<void> {
  if (waitMs <= 0) return;
  const over = new AbortController();
  const stop = () => over.abort();
  signal.addEventListener('abort', stop);
  try {
    const timer = sleep(waitMs, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([visit.ended, timer]);
    // Events that come together are answered together.
    if (visit.isOver) await sleep(2);
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
  }
}
