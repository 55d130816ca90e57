import type { Deps } from '#context';
import { shareRead } from '#platform/http/share-read';
import type { GaugeSource } from '#platform/observe/metrics';
import { countByStatus, selectOldest } from './queries/counts.ts';

const readOldest = shareRead(selectOldest);

export const withdrawalGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_withdrawals',
    help: 'Withdrawals by status; under load, as of a few seconds ago.',
    labels: ['status'],
    read: async ({ db }) =>
      (await countByStatus(db)).map(({ status, count }) => ({ labels: { status }, value: Number(count) })),
  },
  {
    name: 'causeway_withdrawals_waiting',
    help: 'Queue depth: withdrawals that are not final, by network and status; 10000 means 10000 or more.',
    labels: ['network', 'status'],
    read: async ({ db }) =>
      (await readOldest(db)).map(({ network, status, waiting }) => ({
        labels: { network, status },
        value: Number(waiting),
      })),
  },
  {
    name: 'causeway_withdrawals_oldest_age_seconds',
    help: 'Age of the oldest withdrawal that is not final, by network and status, among the first 10000. Those that wait for an approval, a pause or a suspension do not count.',
    labels: ['network', 'status'],
    read: async ({ db }) =>
      (await readOldest(db)).flatMap(({ network, status, ageSeconds }) =>
        ageSeconds === null ? [] : [{ labels: { network, status }, value: ageSeconds }],
      ),
  },
];
