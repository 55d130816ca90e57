import type { Deps } from '#context';
import type { GaugeSource } from '#platform/observe/metrics';
import { countOpen } from './queries.ts';

export const applicationGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_integration_applications_open',
    help: 'Applications of developers that wait for an operator; integrations.applications has them.',
    labels: [],
    read: async ({ db, clock }) => {
      const { all: value } = await countOpen(db, { email: '', now: clock() });
      return [{ labels: {}, value }];
    },
  },
];
