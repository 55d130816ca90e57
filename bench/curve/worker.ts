// A worker process with only the payout jobs. It starts and stops them when asked, and stays warm in between.
import { createEvm, type NetworkSettings } from '#adapters/evm';
import { ledPayoutJobs } from '#features/payouts';
import { type RunningJobs, runJobs } from '#platform/worker/jobs';
import { createBenchDeps } from '../withdrawals/world.ts';

export interface WorkerOrder {
  databaseUrl: string;
  networks: NetworkSettings[];
}

process.once('message', ({ databaseUrl, networks }: WorkerOrder) => {
  let chainCalls = 0;
  const evm = createEvm(networks, () => {
    chainCalls += 1;
  });
  const deps = { ...createBenchDeps(databaseUrl, networks), evm };
  let running: RunningJobs | undefined;
  process.on('message', async (isRunning: boolean) => {
    if (isRunning) running ??= runJobs(ledPayoutJobs(), deps);
    else {
      await running?.stop();
      running = undefined;
    }
    process.send!(chainCalls);
  });
  process.once('disconnect', async () => {
    await running?.stop();
    await deps.db.end();
  });
  process.send!('ready');
});
