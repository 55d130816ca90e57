import type { Deps } from '#context';
import type { GaugeSource } from '#platform/observe/metrics';
import { countFaulty } from './verify/queries/verdicts.ts';

export const ledgerGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_ledger_faulty',
    help: 'Ledgers in which the last verification found a fault, and the books as a whole; normally 0. ledger.verdicts has them.',
    labels: [],
    read: async ({ db }) => [{ labels: {}, value: await countFaulty(db) }],
  },
];
