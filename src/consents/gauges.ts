import type { Deps } from '../context.ts';
import type { GaugeSource } from '../platform/metrics.ts';
import { countActive } from './queries.ts';

export const consentGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_consents_active',
    help: 'Consents by which data of a user can be read.',
    labels: [],
    read: async ({ db }) => [{ labels: {}, value: await countActive(db) }],
  },
];
