// A worker process with every job and service of the product.
import type { NetworkSettings } from '#adapters/evm';
import { createOutgoing } from '#platform/outgoing/index';
import { createSealer } from '#platform/secrets/seal';
import { runJobs } from '#platform/worker/jobs';
import { runServices } from '#platform/worker/services';
import { jobs, services } from '../../src/app.ts';
import { createBenchDeps } from '../withdrawals/world.ts';

export interface FullWorkerOrder {
  databaseUrl: string;
  networks: NetworkSettings[];
  encryptionKey: Buffer;
}

process.once('message', ({ databaseUrl, networks, encryptionKey }: FullWorkerOrder) => {
  const deps = {
    ...createBenchDeps(databaseUrl, networks),
    sealer: createSealer(new Map([[1, Buffer.from(encryptionKey)]])),
    outgoing: createOutgoing({ allowsLoopbackHttp: true, ports: [], allowedBlocks: [] }),
  };
  const running = [runJobs(jobs, deps), runServices(services, deps)];
  process.once('disconnect', async () => {
    await Promise.all(running.map((one) => one.stop()));
    await deps.db.end();
  });
  process.send!('ready');
});
