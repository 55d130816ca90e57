import type { Deps } from '#context';
import { shareRead } from '#platform/http/share-read';
import { backgroundGauge } from '#platform/observe/background-gauge';
import type { GaugeSource } from '#platform/observe/metrics';
import { countUncredited, selectOpen } from './queries.ts';

const readOpen = shareRead(selectOpen);

export const refillGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_cards_refills_open',
    help: 'Refills of card collateral that are not over, by state.',
    labels: ['status'],
    read: async ({ db }) =>
      (await readOpen(db)).map(({ status, count }) => ({ labels: { status }, value: Number(count) })),
  },
  {
    name: 'causeway_cards_refills_oldest_seconds',
    help: 'Age of the oldest refill of card collateral that is not over, by state.',
    labels: ['status'],
    read: async ({ db }) =>
      (await readOpen(db)).map(({ status, ageSeconds }) => ({ labels: { status }, value: ageSeconds })),
  },
  {
    name: 'causeway_cards_refills_untold',
    help: 'Refills of card collateral that are paid and that the card issuer has not taken; none, unless something is wrong.',
    labels: [],
    read: async ({ db }) => [
      { labels: {}, value: (await readOpen(db)).reduce((sum, { untold }) => sum + Number(untold), 0) },
    ],
  },
  ...backgroundGauge<Deps>({
    name: 'causeway_cards_refills_uncredited',
    help: 'Accounts whose last refill the card issuer has taken and not credited for a quarter of an hour: no other is made meanwhile.',
    labels: [],
    everyMs: 60_000,
    read: async ({ db, clock }) => [{ labels: {}, value: await countUncredited(db, clock()) }],
  }),
];
