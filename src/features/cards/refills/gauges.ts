import { noIssuer } from '#adapters/issuer';
import type { Deps } from '#context';
import { shareRead } from '#platform/http/share-read';
import { backgroundGauge } from '#platform/observe/background-gauge';
import type { GaugeSource } from '#platform/observe/metrics';
import { countUncredited, selectOpen } from './queries/lists.ts';

const readOpen = shareRead(selectOpen);

export const refillGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_cards_refills_open',
    help: 'Unfinished refills of card collateral, by status.',
    labels: ['status'],
    read: async ({ db }) =>
      (await readOpen(db)).map(({ status, count }) => ({ labels: { status }, value: Number(count) })),
  },
  {
    name: 'causeway_cards_refills_oldest_age_seconds',
    help: 'Age of the oldest unfinished refill of card collateral, by status.',
    labels: ['status'],
    read: async ({ db }) =>
      (await readOpen(db)).map(({ status, ageSeconds }) => ({ labels: { status }, value: ageSeconds })),
  },
  {
    name: 'causeway_cards_refills_unreported',
    help: 'Refills of card collateral that are paid but not accepted by the card issuer; normally 0.',
    labels: [],
    read: async ({ db, issuer }) => {
      if (issuer === noIssuer) return [];
      const value = (await readOpen(db)).reduce((sum, { unannounced }) => sum + Number(unannounced), 0);
      return [{ labels: {}, value }];
    },
  },
  ...backgroundGauge<Deps>({
    name: 'causeway_cards_refills_uncredited',
    help: 'Accounts whose last refill the card issuer accepted but has not credited for 15 minutes; they get no other refill until then.',
    labels: [],
    everyMs: 60_000,
    read: async ({ db, clock, issuer }) =>
      issuer === noIssuer ? [] : [{ labels: {}, value: await countUncredited(db, clock()) }],
  }),
];
