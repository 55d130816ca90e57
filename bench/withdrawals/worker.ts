// A worker process with only the payout jobs, for the network in its settings.
import type { NetworkSettings } from '#adapters/evm';
import { ledPayoutJobs } from '#features/payouts';
import { runJobs } from '#platform/worker/jobs';
import { createBenchDeps } from './world.ts';

export interface WorkerOrder {
  databaseUrl: string;
  networks: NetworkSettings[];
}

process.once('message', ({ databaseUrl, networks }: WorkerOrder) => {
  const deps = createBenchDeps(databaseUrl, networks);
  const jobs = runJobs(ledPayoutJobs(), deps);
  process.once('disconnect', async () => {
    await jobs.stop();
    await deps.db.end();
  });
  process.send!('ready');
});
