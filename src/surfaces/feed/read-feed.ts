import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '#context';
import { eventErrors, type FeedPage, type FeedRequest, listEvents } from '#features/events';
import type { WaitingRoom } from './waiting-room.ts';

/** In one process: each holds a socket, and is woken by each event of its stream. */
const waitingMax = 2_000;

/** Reads the feed; if it has nothing new, waits up to `waitMs` for the next event. */
export async function readFeed(
  { db }: Pick<Deps, 'db'>,
  request: FeedRequest,
  { room, waitMs, signal }: { room: WaitingRoom; waitMs: number; signal: AbortSignal },
): Promise<FeedPage> {
  const endsAt = performance.now() + waitMs;
  for (let after = request.after; ; ) {
    const page = await listEvents({ db }, { ...request, after });
    const leftMs = endsAt - performance.now();
    if (page.bodies.length > 0 || !page.isEnd || leftMs <= 0 || room.isClosed || signal.aborted) return page;
    if (room.size >= waitingMax) throw eventErrors.tooManyWaiting({ headers: { 'retry-after': '5' } });
    await room.wait(page.streamId, leftMs, signal);
    // Events that come together are answered together.
    await sleep(2);
    after = page.next;
  }
}
