import type { Deps } from '#context';
import { shareRead } from '#platform/http/share-read';
import type { GaugeSource } from '#platform/observe/metrics';
import { countByStatus, selectOldest } from './queries.ts';

const readOldest = shareRead(selectOldest);

export const withdrawalGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_withdrawals',
    help: 'Withdrawals by state, as of a few seconds ago where many move.',
    labels: ['status'],
    read: async ({ db }) =>
      (await countByStatus(db)).map(({ status, count }) => ({ labels: { status }, value: Number(count) })),
  },
  {
    name: 'causeway_withdrawals_waiting',
    help: 'Depth of the queue: withdrawals that are not final, by network and state; 10000 means that many or more.',
    labels: ['network', 'status'],
    read: async ({ db }) =>
      (await readOldest(db)).map(({ network, status, waiting }) => ({
        labels: { network, status },
        value: Number(waiting),
      })),
  },
  {
    name: 'causeway_withdrawals_oldest_seconds',
    help: 'Age of the oldest withdrawal that is not final, by network and state.',
    labels: ['network', 'status'],
    read: async ({ db }) =>
      (await readOldest(db)).map(({ network, status, ageSeconds }) => ({
        labels: { network, status },
        value: ageSeconds,
      })),
  },
];
