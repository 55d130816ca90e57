import type { Deps } from '../../context.ts';
import type { GaugeSource } from '../../platform/metrics.ts';
import { countUncredited, selectOpen } from './queries.ts';

export const refillGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_cards_refills_open',
    help: 'Refills of card collateral that are not over, by state.',
    labels: ['status'],
    read: async ({ db }) =>
      (await selectOpen(db)).map(({ status, count }) => ({ labels: { status }, value: Number(count) })),
  },
  {
    name: 'causeway_cards_refills_oldest_seconds',
    help: 'Age of the oldest refill of card collateral that is not over, by state.',
    labels: ['status'],
    read: async ({ db }) =>
      (await selectOpen(db)).map(({ status, ageSeconds }) => ({ labels: { status }, value: ageSeconds })),
  },
  {
    name: 'causeway_cards_refills_untold',
    help: 'Refills of card collateral that are paid and that the card issuer has not taken; none, unless something is wrong.',
    labels: [],
    read: async ({ db }) => [
      { labels: {}, value: (await selectOpen(db)).reduce((sum, { untold }) => sum + Number(untold), 0) },
    ],
  },
  {
    name: 'causeway_cards_refills_uncredited',
    help: 'Accounts whose last refill the card issuer has taken and not credited for a quarter of an hour: no other is made meanwhile.',
    labels: [],
    read: async ({ db, clock }) => [{ labels: {}, value: await countUncredited(db, clock()) }],
  },
];
