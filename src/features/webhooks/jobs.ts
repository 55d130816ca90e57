import { contextFor, type Deps } from '#context';
import { dayMs, hourMs } from '#platform/values/duration';
import type { Job } from '#platform/worker/jobs';
import { failingMaxMs } from './delivery/schedule.ts';
import { disableEndpoint } from './disable-endpoint.ts';
import { cancelUnwanted, sweepDeliveries, sweepEndpoints } from './queries/deliveries.ts';
import { selectFailing, selectOfStoppedKeys } from './queries/endpoints.ts';

const retentionMs = 30 * dayMs;

export const webhookJobs: readonly Job<Deps>[] = [
  {
    name: 'webhooks.disable-failing',
    everyMs: 60_000,
    run: async (deps) => {
      const ctx = contextFor(deps, { kind: 'worker', job: 'webhooks.disable-failing' } as const, deps.log);
      const failing = await selectFailing(ctx.db, new Date(ctx.now.getTime() - failingMaxMs), 100);
      for (const endpointId of failing) {
        await disableEndpoint(ctx, { endpointId, reason: 'failing' }).catch((err) =>
          deps.log.error({ err, endpointId }, 'a failing endpoint could not be disabled'),
        );
      }
      return failing.length;
    },
  },
  {
    name: 'webhooks.disable-stopped',
    everyMs: 5_000,
    run: async (deps) => {
      const ctx = contextFor(deps, { kind: 'worker', job: 'webhooks.disable-stopped' } as const, deps.log);
      const stopped = await selectOfStoppedKeys(ctx.db, 100);
      for (const { endpointId, setByKey } of stopped) {
        await disableEndpoint(ctx, { endpointId, reason: 'key', setByKey }).catch((err) =>
          deps.log.error({ err, endpointId }, 'an endpoint of a stopped key could not be disabled'),
        );
      }
      return stopped.length;
    },
  },
  {
    name: 'webhooks.cancel',
    everyMs: 5_000,
    run: ({ db, clock }) => cancelUnwanted(db, clock(), 2_000),
  },
  {
    name: 'webhooks.sweep',
    everyMs: 60_000,
    run: ({ db, clock }) => sweepDeliveries(db, new Date(clock().getTime() - retentionMs), 1_000),
  },
  {
    name: 'webhooks.sweep-endpoints',
    everyMs: hourMs,
    run: ({ db, clock }) => sweepEndpoints(db, new Date(clock().getTime() - retentionMs), 1_000),
  },
];
