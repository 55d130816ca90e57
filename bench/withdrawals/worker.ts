// A worker process with the payout jobs and nothing else, for the network that it is told.
import type { NetworkSettings } from '../../src/evm/index.ts';
import { payoutJobs } from '../../src/payouts/index.ts';
import { runJobs } from '../../src/platform/jobs.ts';
import { createBenchDeps } from './world.ts';

export interface WorkerOrder {
  databaseUrl: string;
  networks: NetworkSettings[];
}

process.once('message', ({ databaseUrl, networks }: WorkerOrder) => {
  const deps = createBenchDeps(databaseUrl, networks);
  const jobs = runJobs(payoutJobs(), deps);
  process.once('disconnect', async () => {
    await jobs.stop();
    await deps.db.end();
  });
  process.send!('ready');
});
