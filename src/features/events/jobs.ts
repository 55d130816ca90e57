import { setTimeout as sleep } from 'node:timers/promises';
import { contextFor, type Deps } from '#context';
import { dayMs, hourMs } from '#platform/values/duration';
import type { Job } from '#platform/worker/jobs';
import { type Numbering, numberEvents, numberParked } from './number-events.ts';
import { sweepEvents } from './queries.ts';

/** How long events are kept: a year and a month, so that yearly reports can be made from the feed. */
const retentionMs = 400 * dayMs;

/**
 * A change does not notify while records wait, and may commit after the worker has looked. So the worker
 * looks again and again for this time after it had something to do.
 */
const attentiveMs = 1_000;
const lookAgainMs = 10;

/**
 * From about 600 events a second on, fewer and larger batches, until there are less than 300: without the
 * pause, numbering took a sixth of the rate of creations on two cores. Below, a pause would be most of the
 * time until a webhook is sent.
 */
const busyBatch = 12;
const busyPauseMs = 25;

const contextOf = (deps: Deps, job: string) => contextFor(deps, { kind: 'worker', job } as const, deps.log);

export const eventJobs = (numbering: Numbering): readonly Job<Deps>[] => {
  let attentiveUntil = 0;
  return [
    {
      name: 'events.number',
      everyMs: 1_000,
      // Guarded by an advisory lock: a lease would be written and ended with each turn.
      isShared: true,
      wokenBy: 'event_records',
      run: async (deps) => {
        const taken = await numberEvents(contextOf(deps, 'events.number'), numbering);
        if (taken > 0) attentiveUntil = performance.now() + attentiveMs;
        if (taken > busyBatch) await sleep(busyPauseMs);
        if (taken > 0 || performance.now() >= attentiveUntil) return taken;
        await sleep(lookAgainMs);
        return 1;
      },
    },
    {
      name: 'events.retry-parked',
      everyMs: 60_000,
      run: (deps) => {
        const ctx = contextOf(deps, 'events.retry-parked');
        return numberParked(ctx, numbering, new Date(ctx.now.getTime() - hourMs));
      },
    },
    {
      name: 'events.sweep',
      everyMs: hourMs,
      run: ({ db, clock }) => sweepEvents(db, new Date(clock().getTime() - retentionMs), 1_000),
    },
  ];
};
