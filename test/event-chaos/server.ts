// A process of the event chaos: the API, and a worker that numbers events and sends webhooks. It is killed at
// any moment.
import { readConfig } from '#config/config';
import { eventJobs } from '#features/events';
import { deliverWebhooks, queueDeliveries } from '#features/webhooks';
import { createLog } from '#platform/observe/log';
import { runJobs } from '#platform/worker/jobs';
import { runServices } from '#platform/worker/services';
import { buildApp, eventFamilies } from '../../src/app.ts';
import { createDeps } from '../../src/main.ts';
import { networksWithoutNodes } from '../harness.ts';

export interface ServerOrder {
  databaseUrl: string;
  port: number;
  operatorToken: string;
  encryptionKey: string;
  /** The clock runs so many times as fast from then on, so that retries of hours come within minutes. */
  clock: { base: number; speed: number };
}

process.once('message', async (order: ServerOrder) => {
  const { databaseUrl, port, operatorToken, encryptionKey, clock } = order;
  const config = {
    ...readConfig({
      DATABASE_URL: databaseUrl,
      WITHDRAWALS_PER_PARTNER: '10000',
      WITHDRAWALS_PER_USER: '10000',
      OPERATOR_TOKENS: `chaos:${operatorToken}`,
      ENCRYPTION_KEYS: `1:${encryptionKey}`,
      DATABASE_STATEMENT_TIMEOUT_MS: '20000',
    }),
    networks: networksWithoutNodes(),
    outgoing: { allowsLoopbackHttp: true, ports: [], allowedBlocks: [] },
  };
  const deps = {
    ...createDeps(config, createLog({ level: 'silent' })),
    clock: () => new Date(clock.base + (Date.now() - clock.base) * clock.speed),
  };
  const server = await buildApp(deps, { ...config, servesApi: true });
  await server.listen({ host: '127.0.0.1', port });
  runJobs(eventJobs({ families: eventFamilies, onNumbered: queueDeliveries }), deps);
  runServices([deliverWebhooks({ claimMs: 20_000 * clock.speed })], deps);
  process.send!('ready');
});
// An orphan ends with the test that started it.
process.once('disconnect', () => process.exit(1));
