import { contextFor } from '#context';
import { issueKey, keyRoutes } from '#features/keys';
import { allowUser, createPartner } from '#features/partners';
import { createUser } from '#features/users';
import { tracePool } from '#platform/db/trace-pool';
import { createHttpServer } from '#platform/http/http';
import { createMetrics } from '#platform/observe/metrics';
import { createTraces, type Traces } from '#platform/observe/traces/traces';
import { startReceiver } from '#test/outside/webhook-receiver';
import { admitsAll, quietNetworks } from './history/world.ts';
import { type Bench, countPerCpuSecond, measureRounds, printRounds } from './measure.ts';
import { createBenchDeps } from './withdrawals/world.ts';

/**
 * What traces cost: the same route of the same server without and with them, in turns. Two servers without
 * show the noise: without the setting nothing is installed, so their ratio is 1.
 */
export const run: Bench = async ({ databaseUrl, log }) => {
  const collector = await startReceiver();
  let dropped = 0;
  const traces = createTraces({
    endpoint: collector.url,
    log,
    onDrop: (_reason, count) => {
      dropped += count;
    },
  });
  const serve = async (traces?: Traces) => {
    const plain = { ...createBenchDeps(databaseUrl, quietNetworks()), limiter: admitsAll };
    const deps = { ...plain, metrics: createMetrics(), db: traces ? tracePool(plain.db, traces) : plain.db };
    const server = createHttpServer({ log: deps.log, metrics: deps.metrics, trustedProxies: [], traces });
    keyRoutes(server, deps);
    await server.ready();
    return { server, deps };
  };
  const [off, offAgain, on] = [await serve(), await serve(), await serve(traces)];
  const ctx = contextFor(off.deps, { kind: 'operator', name: 'bench', role: 'admin' }, off.deps.log);
  const { id: partnerId } = await createPartner(ctx, { name: 'Bench' });
  const person = { email: 'bench@example.com', givenName: 'B', familyName: 'B' };
  const { id: userId } = await createUser(ctx, person);
  await allowUser(ctx, { partnerId, userId });
  const { id, token } = await issueKey(ctx, { name: 'bench', partnerId, userId, scopes: ['partner:admin'] });
  const measure =
    ({ server }: typeof off) =>
    () =>
      countPerCpuSecond(async () => {
        const headers = { authorization: `Bearer ${token}` };
        const { statusCode } = await server.inject({ method: 'GET', url: `/api/keys/${id}`, headers });
        if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
      });
  const candidates = { off: measure(off), offAgain: measure(offAgain), on: measure(on) };
  const rates = await measureRounds(candidates, 7);
  printRounds('requests a second of CPU, traces off / off', rates.offAgain, rates.off);
  printRounds('requests a second of CPU, traces on / off', rates.on, rates.off);
  await traces.stop();
  console.log(`batches exported: ${collector.received.length}, spans dropped: ${dropped}`);
  for (const { server, deps } of [off, offAgain, on]) {
    await server.close();
    await deps.db.end();
  }
  await collector.stop();
};
