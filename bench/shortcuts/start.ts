// A process that starts as its first argument says, and reports the CPU that this took in milliseconds.
import AjvCompiler from '@fastify/ajv-compiler';
import SerializerCompiler from '@fastify/fast-json-stringify-compiler';
import { lazySchemas } from '#platform/http/lazy-schemas';

const [kind, databaseUrl] = process.argv.slice(2) as [string, string];
const { user, system } = process.cpuUsage();
if (kind === 'typebox-compiler') await import('typebox/compile');
if (kind.startsWith('app')) {
  if (kind === 'app-with-all-schemas') {
    const eager = { buildValidator: AjvCompiler(), buildSerializer: SerializerCompiler() };
    Object.assign(lazySchemas, { compilersFactory: eager });
  }
  const { buildApp } = await import('../../src/app.ts');
  const { createBenchDeps } = await import('../withdrawals/world.ts');
  const server = await buildApp(createBenchDeps(databaseUrl, []), {
    operatorTokens: new Map(),
    databasePoolMax: 10,
    trustedProxies: [],
    servesApi: true,
    withdrawalLimits: [],
    withdrawalRates: { partner: 1, user: 1 },
    balanceStaleAfterMs: 3_600_000,
  });
  await server.ready();
}
const used = process.cpuUsage({ user, system });
process.send!((used.user + used.system) / 1000, () => process.exit());
