import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createEvm, type NetworkSettings } from '#adapters/evm';
import type { Config } from '#config/config';
import { type Ctx, contextFor, type Deps, type OperatorActor } from '#context';
import { type IssuedKey, issueKey } from '#features/keys';
import { allowUser, createPartner } from '#features/partners';
import { createUser } from '#features/users';
import type { Pool } from '#platform/db/db';
import { createLog } from '#platform/observe/log';
import type { RateLimiter } from '#platform/rate-limit/index';
import { buildApp } from '../../src/app.ts';
import { createDeps } from '../../src/main.ts';
import type { LoadOrder, LoadReport } from './load.ts';

/**
 * Everything that the parts of the benchmark share: a partner with users, and the real server on the pool of
 * the bare figures.
 */
export interface World {
  db: Pool;
  databaseUrl: string;
  deps: Deps;
  port: number;
  partnerId: string;
  key: IssuedKey;
  /** All on the partner's list. */
  userIds: string[];
  /** A separate process calls the server. */
  load(order: LoadOrder): Promise<LoadReport>;
  loaderPid: number;
  stop(): Promise<void>;
}

const poolMax = 10;
/** Above what the bench reaches. */
const withdrawalRates = { partner: 1_000_000, user: 1_000_000 };

/** Lines are made as in production, and written where nobody keeps them. */
function createQuickLog() {
  const nowhere = openSync('/dev/null', 'w');
  return createLog({ level: 'info', destination: { write: (line) => void writeSync(nowhere, line) } });
}

export function createBenchDeps(databaseUrl: string, networks: NetworkSettings[]): Deps {
  return createDeps(
    {
      databaseUrl,
      databaseReadUrls: [],
      rateLimitUrl: '',
      databasePoolMax: poolMax,
      acceptsApplications: true,
      databaseConnectTimeoutMs: 3_000,
      databaseLockTimeoutMs: 2_000,
      databaseStatementTimeoutMs: 5_000,
      host: '127.0.0.1',
      port: 0,
      databaseReplication: 'asynchronous',
      databaseDurability: 'relaxed',
      deploymentId: 'test',
      publicUrl: 'http://127.0.0.1:0',
      brand: { name: 'Causeway', address: [] },
      operatorTokens: new Map(),
      encryptionKeys: new Map([[1, randomBytes(32)]]),
      secretFiles: [],
      trustedProxies: [],
      rateLimitStore: 'memory',
      fourEyesCommands: [],
      twoPersonResume: false,
      shutdownGraceMs: 2_000,
      logLevel: 'info',
      networks,
      withdrawalLimits: [],
      withdrawalRates,
      issuerWebhookSecrets: [],
      balanceStaleAfterMs: 3_600_000,
      outgoing: { allowsLoopbackHttp: false, ports: [443], allowedBlocks: [] },
      mcpAllowedOrigins: [],
      mcpAllowedHosts: [],
    },
    createQuickLog(),
  );
}

export interface WorldOptions {
  networks: NetworkSettings[];
  users: number;
  /** In place of the product's own. */
  limiter?: RateLimiter;
  /** Where the request log is, if not in the database of the world. */
  limitsDb?: Pool;
  operatorTokens?: Config['operatorTokens'];
  /** Begins the addresses of its users, for a second world on one database. */
  label?: string;
}

export async function createWorld(
  { db, databaseUrl }: { db: Pool; databaseUrl: string },
  { networks, users, limiter, limitsDb = db, operatorTokens = new Map(), label = 'bench' }: WorldOptions,
): Promise<World> {
  const made = createBenchDeps(databaseUrl, networks);
  await made.db.end();
  const evm = createEvm(networks, made.metrics.countNodeCall);
  const deps: Deps = { ...made, db, limitsDb, evm, ...(limiter && { limiter }) };
  const options = { operatorTokens, databasePoolMax: poolMax, trustedProxies: [] };
  const server = await buildApp(deps, {
    ...options,
    servesApi: true,
    withdrawalLimits: [],
    withdrawalRates,
    balanceStaleAfterMs: 3_600_000,
  });
  await server.listen({ host: '127.0.0.1', port: 0 });

  const ctx = operatorContext(deps);
  const { id: partnerId } = await createPartner(ctx, { name: 'Bench' });
  const userIds: string[] = [];
  for (let n = 0; n < users; n++) {
    const { id: userId } = await createUser(ctx, {
      email: `${label}-${n}@example.com`,
      givenName: 'B',
      familyName: 'B',
    });
    await allowUser(ctx, { partnerId, userId });
    userIds.push(userId);
  }
  const key = await issueKey(ctx, { name: 'bench', partnerId, userId: userIds[0]! });
  const loader = await startProcess('load.ts');
  return {
    db,
    databaseUrl,
    deps,
    partnerId,
    key,
    userIds,
    port: (server.server.address() as AddressInfo).port,
    async load(order) {
      loader.send(order);
      return (await messageOf(loader)) as LoadReport;
    },
    loaderPid: loader.pid!,
    async stop() {
      await stopProcess(loader);
      await server.close();
    },
  };
}

export const operatorContext = (deps: Deps): Ctx<OperatorActor> =>
  contextFor(deps, { kind: 'operator', name: 'bench', role: 'admin' }, deps.log);

/** Starts a file, named from this folder, as a process, sends it `order`, and waits until it is ready. */
export async function startProcess(file: string, order?: object): Promise<ChildProcess> {
  const child = fork(path.resolve(import.meta.dirname, file), { serialization: 'advanced' });
  if (order) child.send(order);
  await messageOf(child);
  return child;
}

/** The next that it says; rejects if it ends instead. */
export async function messageOf(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(() => Promise.reject(new Error('a process of the bench died'))),
    ]);
  } finally {
    over.abort();
  }
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}
