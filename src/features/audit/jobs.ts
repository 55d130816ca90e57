import { contextFor, type Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { anchorChains } from './anchor-chains.ts';

export const auditJobs: readonly Job<Deps>[] = [
  {
    name: 'audit.anchor',
    everyMs: 10_000,
    run: async (deps) => {
      await anchorChains(contextFor(deps, { kind: 'worker', job: 'audit.anchor' }, deps.log));
    },
  },
];
