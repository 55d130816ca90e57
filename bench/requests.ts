import { randomUUID } from 'node:crypto';
import { contextFor } from '#context';
import { issueKey, keyRoutes } from '#features/keys';
import { allowUser, createPartner } from '#features/partners';
import { noteRequests } from '#features/requests';
import { createUser } from '#features/users';
import { createHttpServer } from '#platform/http/http';
import { createMetrics } from '#platform/observe/metrics';
import { insertRequests } from '../src/features/requests/queries.ts';
import { admitsAll, quietNetworks } from './history/world.ts';
import { type Bench, countPerCpuSecond, measureRounds, median, printRounds, takeTurns } from './measure.ts';
import { createBenchDeps } from './withdrawals/world.ts';

/** What the request log costs: the same route of the same server with it and without, in turns. */
export const run: Bench = async ({ databaseUrl }) => {
  const serve = async (isLogged: boolean) => {
    const deps = {
      ...createBenchDeps(databaseUrl, quietNetworks()),
      limiter: admitsAll,
      metrics: createMetrics(),
    };
    const { log, metrics } = deps;
    const server = createHttpServer({ log, metrics, trustedProxies: [] });
    if (isLogged) noteRequests(server, deps);
    keyRoutes(server, deps);
    await server.ready();
    return { server, deps };
  };
  const [plain, logged] = [await serve(false), await serve(true)];
  const ctx = contextFor(plain.deps, { kind: 'operator', name: 'bench', role: 'admin' }, plain.deps.log);
  const { id: partnerId } = await createPartner(ctx, { name: 'Bench' });
  const { id: userId } = await createUser(ctx, {
    email: 'bench@example.com',
    givenName: 'B',
    familyName: 'B',
  });
  await allowUser(ctx, { partnerId, userId });
  const { id, token } = await issueKey(ctx, { name: 'bench', partnerId, userId, scopes: ['partner:admin'] });
  const call =
    ({ server }: typeof plain) =>
    async () => {
      const headers = { authorization: `Bearer ${token}` };
      const { statusCode } = await server.inject({ method: 'GET', url: `/api/keys/${id}`, headers });
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
    };
  const rates = await measureRounds(
    { plain: () => countPerCpuSecond(call(plain)), logged: () => countPerCpuSecond(call(logged)) },
    9,
  );
  // By CPU, because other work on the machine changes what a second is worth.
  printRounds('requests a second of CPU, with the request log / without', rates.logged, rates.plain);
  const [row] = await plain.deps.db.query<{ rows: number; bytes: string }>(
    `select count(*)::integer as rows, (pg_total_relation_size('request_log') / greatest(count(*), 1))::text as bytes from request_log`,
  );
  console.log(`rows stored: ${row!.rows}, ${row!.bytes} bytes each with indexes`);
  const rows = Array.from({ length: 5_000 }, () => rowOf(partnerId, id));
  const [storing] = await takeTurns([() => insertRequests(plain.deps.db, rows.map(withNewId))], 9);
  console.log(`the database stores ${rows.length} rows in ${Math.round(median(storing!))} ms`);
  for (const { server, deps } of [plain, logged]) {
    await server.close();
    await deps.db.end();
  }
};

const rowOf = (partnerId: string, keyId: string) => ({
  requestId: '',
  at: new Date(),
  partnerId,
  keyId,
  personId: null,
  method: 'GET',
  route: '/api/keys/:keyId',
  path: `/api/keys/${keyId}`,
  status: 200,
  errorCode: null,
  durationMs: 1,
  callerAddress: '127.0.0.1',
});

const withNewId = (row: ReturnType<typeof rowOf>) => ({ ...row, requestId: randomUUID() });
