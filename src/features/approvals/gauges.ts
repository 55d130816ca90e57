import type { Deps } from '#context';
import type { GaugeSource } from '#platform/observe/metrics';
import { countPending } from './queries.ts';

export const approvalGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_approvals_pending',
    help: 'Operator commands that wait for a second operator; approvals.list has them.',
    labels: [],
    read: async ({ db, clock }) => [{ labels: {}, value: Number(await countPending(db, clock())) }],
  },
];
