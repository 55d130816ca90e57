import type { Deps } from '#context';
import { backgroundGauge } from '#platform/observe/background-gauge';
import type { GaugeSource } from '#platform/observe/metrics';
import { countActive } from './queries/figures.ts';

export const consentGauges: readonly GaugeSource<Deps>[] = backgroundGauge({
  name: 'causeway_consents_active',
  help: 'Active consents.',
  labels: [],
  everyMs: 60_000,
  read: async ({ db }) => [{ labels: {}, value: await countActive(db) }],
});
