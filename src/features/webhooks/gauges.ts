import type { Deps } from '#context';
import type { GaugeSource } from '#platform/observe/metrics';
import { selectDue } from './queries/deliveries.ts';
import { countByState } from './queries/endpoints.ts';

export const webhookGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_webhook_deliveries_due',
    help: 'Deliveries that wait or are being sent, retries included; 10000 means 10000 or more.',
    labels: [],
    read: async ({ db, clock }) => [{ labels: {}, value: (await selectDue(db, clock())).count }],
  },
  {
    name: 'causeway_webhook_oldest_age_seconds',
    help: 'Age of the oldest delivery that has not arrived, among the first 10000.',
    labels: [],
    read: async ({ db, clock }) => [{ labels: {}, value: (await selectDue(db, clock())).ageSeconds }],
  },
  {
    name: 'causeway_webhook_endpoints',
    help: 'Webhook endpoints by state: working, failing (no success since a failure) or disabled.',
    labels: ['state'],
    read: async ({ db }) =>
      (await countByState(db)).map(({ state, count }) => ({ labels: { state }, value: Number(count) })),
  },
];
