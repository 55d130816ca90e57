import { contextFor, type Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { type Numbering, numberEvents } from './number-events.ts';
import { sweepEvents } from './queries.ts';

/** How long events are kept: a year and a month, so that yearly reports can be made from the feed. */
const retentionMs = 400 * 86_400_000;

export const eventJobs = (numbering: Numbering): readonly Job<Deps>[] => [
  {
    name: 'events.number',
    everyMs: 100,
    // An advisory lock, because a lease would be written and ended ten times a second.
    isShared: true,
    wokenBy: 'event_records',
    run: (deps) =>
      numberEvents(contextFor(deps, { kind: 'worker', job: 'events.number' }, deps.log), numbering),
  },
  {
    name: 'events.sweep',
    everyMs: 3_600_000,
    run: ({ db, clock }) => sweepEvents(db, new Date(clock().getTime() - retentionMs), 1_000),
  },
];
