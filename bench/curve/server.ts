// A process with the role `api`, as it runs beside others: rate limits are counted in PostgreSQL.
import type { AddressInfo } from 'node:net';
import type { NetworkSettings } from '#adapters/evm';
import { createPostgresLimiter, type RateLimiter } from '#platform/rate-limit/index';
import { buildApp } from '../../src/app.ts';
import { createBenchDeps } from '../withdrawals/world.ts';

export interface ServerOrder {
  databaseUrl: string;
  networks: NetworkSettings[];
  operatorToken: string;
  /** Creates more than the limits of one allow, so its creations are counted as those of a hundred. */
  busyPartner: string;
}

/** The defaults of `WITHDRAWALS_PER_PARTNER` and `WITHDRAWALS_PER_USER`. */
const withdrawalRates = { partner: 600, user: 120 };

const countApart = (limiter: RateLimiter, partnerId: string): RateLimiter => ({
  ...limiter,
  admitByAll: (limits) => {
    const part = Math.floor(Math.random() * 100);
    return limiter.admitByAll(
      limits.map((one) =>
        one.subject.startsWith(partnerId) ? { ...one, subject: `${one.subject} ${part}` } : one,
      ),
    );
  },
});

process.once('message', async (order: ServerOrder) => {
  const deps = createBenchDeps(order.databaseUrl, order.networks);
  const limiter = countApart(createPostgresLimiter(deps.db), order.busyPartner);
  const server = await buildApp(
    { ...deps, limiter },
    {
      operatorTokens: new Map([['bench', { token: order.operatorToken, role: 'admin' }]]),
      databasePoolMax: 10,
      trustedProxies: [],
      withdrawalLimits: [],
      withdrawalRates,
      balanceStaleAfterMs: 3_600_000,
      servesApi: true,
    },
  );
  await server.listen({ host: '127.0.0.1', port: 0 });
  process.on('message', () => process.send!((server.server.address() as AddressInfo).port));
  process.once('disconnect', async () => {
    await server.close();
    await deps.db.end();
  });
  process.send!('ready');
});
