// A process with the real server, and a bare route on the same pool, whose memory nobody else grows.
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { buildApp } from '../../src/app.ts';
import { createBenchDeps } from '../withdrawals/world.ts';
import { quietNetworks } from './world.ts';

export interface ServerReport {
  port: number;
  barePort: number;
  /** Megabytes of memory: now, and the most since the last report. */
  rss: number;
  rssMax: number;
}

process.once('message', async ({ databaseUrl }: { databaseUrl: string }) => {
  const deps = createBenchDeps(databaseUrl, quietNetworks());
  const options = {
    operatorTokens: new Map(),
    databasePoolMax: 10,
    trustedProxies: [],
    withdrawalLimits: [],
    withdrawalRates: { partner: 1_000_000, user: 1_000_000 },
    balanceStaleAfterMs: 3_600_000,
  };
  const server = await buildApp(deps, { ...options, servesApi: true });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const bare = fastify();
  bare.get<{ Params: { userId: string } }>('/bare/:userId', async ({ params }) => {
    const [row] = await deps.db.query('select id, email, given_name from users where id = $1', [
      params.userId,
    ]);
    return row;
  });
  await bare.listen({ host: '127.0.0.1', port: 0 });

  let rssMax = 0;
  const look = () => {
    rssMax = Math.max(rssMax, process.memoryUsage.rss() / 1e6);
  };
  setInterval(look, 20).unref();
  process.on('message', () => {
    look();
    const report: ServerReport = {
      port: (server.server.address() as AddressInfo).port,
      barePort: (bare.server.address() as AddressInfo).port,
      rss: process.memoryUsage.rss() / 1e6,
      rssMax,
    };
    rssMax = 0;
    process.send!(report);
  });
  process.once('disconnect', async () => {
    await Promise.all([server.close(), bare.close()]);
    await deps.db.end();
  });
  process.send!('ready');
});
