// A worker process that numbers events and sends webhooks, and nothing else.
import { eventJobs } from '#features/events';
import { deliverWebhooks, queueDeliveries } from '#features/webhooks';
import { createOutgoing } from '#platform/outgoing/index';
import { runJobs } from '#platform/worker/jobs';
import { runServices } from '#platform/worker/services';
import { eventFamilies } from '../../src/app.ts';
import { createBenchDeps } from '../withdrawals/world.ts';

export interface EventWorkerOrder {
  databaseUrl: string;
  encryptionKey: Buffer;
}

process.once('message', async ({ databaseUrl, encryptionKey }: EventWorkerOrder) => {
  const { createSealer } = await import('#platform/secrets/seal');
  const deps = {
    ...createBenchDeps(databaseUrl, []),
    sealer: createSealer(new Map([[1, Buffer.from(encryptionKey)]])),
    outgoing: createOutgoing({ allowsLoopbackHttp: true, ports: [], allowedBlocks: [] }),
  };
  const numbering = { families: eventFamilies, onNumbered: queueDeliveries };
  const running = [
    runJobs(
      eventJobs(numbering).filter(({ name }) => name === 'events.number'),
      deps,
    ),
    runServices([deliverWebhooks()], deps),
  ];
  process.once('disconnect', async () => {
    await Promise.all(running.map((one) => one.stop()));
    await deps.db.end();
  });
  process.send!('ready');
});
