import type { Deps } from '#context';
import { shareRead } from '#platform/http/share-read';
import type { GaugeSource } from '#platform/observe/metrics';
import { selectWaiting } from './queries.ts';

const readWaiting = shareRead(selectWaiting);

export const eventGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_events_waiting',
    help: 'Recorded events that have no number yet; 10000 means 10000 or more.',
    labels: [],
    read: async ({ db }) => [{ labels: {}, value: Number((await readWaiting(db)).waiting) }],
  },
  {
    name: 'causeway_events_oldest_age_seconds',
    help: 'Age of the oldest recorded event that has no number yet.',
    labels: [],
    read: async ({ db }) => [{ labels: {}, value: (await readWaiting(db)).ageSeconds }],
  },
  {
    name: 'causeway_events_parked',
    help: 'Recorded events that could not be presented; subscribers do not have them.',
    labels: [],
    read: async ({ db }) => [{ labels: {}, value: Number((await readWaiting(db)).parked) }],
  },
];
