import { createEvm } from '#adapters/evm';
import { createHttpIssuer, noIssuer } from '#adapters/issuer';
import { createPrices } from '#adapters/prices';
import { createScreening } from '#adapters/screening';
import type { Config } from '#config/config';
import { httpOrigin } from '#config/settings/server';
import type { Deps } from '#context';
import { createPool, type Pool } from '#platform/db/db';
import { readSchema, requireKnownSchema } from '#platform/db/migrate';
import { withReplicas } from '#platform/db/replicas';
import { tracePool } from '#platform/db/trace-pool';
import { cannotListen, type PortSetting } from '#platform/errors/cannot-listen';
import { StartupError, Unreachable } from '#platform/errors/startup-error';
import type { HttpServer } from '#platform/http/http';
import type { Log } from '#platform/observe/log';
import { createMetrics, type Metrics } from '#platform/observe/metrics';
import { traceJobs } from '#platform/observe/traces/trace-runs';
import { createTraces, type Traces } from '#platform/observe/traces/traces';
import { createOutgoing, traceOutgoing } from '#platform/outgoing/index';
import { createMemoryLimiter, createPostgresLimiter } from '#platform/rate-limit/index';
import { createSealer } from '#platform/secrets/seal';
import { readBrand } from '#platform/values/brand';
import { systemClock } from '#platform/values/clock';
import { runJobs } from '#platform/worker/jobs';
import { runServices } from '#platform/worker/services';
import {
  type AppOptions,
  buildApp,
  buildMetricsServer,
  claimDeployment,
  flushRequests,
  jobs,
  requireDurable,
  requireSynchronous,
  services,
} from './app.ts';

export type Role = 'api' | 'worker';
export const roles: readonly Role[] = ['api', 'worker'];

export interface RunningServer {
  url: string;
  /** With `METRICS_PORT` only. */
  metricsUrl?: string;
  deps: Deps;
  /** Stops accepting, lets what is running finish within the grace, closes the pool. Safe to call twice. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  door?: AppOptions['door'];
  /** Runs when the API answers, before the worker takes its share of CPU and database. */
  beforeWork?(server: Pick<RunningServer, 'url' | 'deps'>): Promise<void>;
}

/** Config → database → roles. Nothing is left behind when it throws. */
export async function serve(
  config: Config,
  log: Log,
  roles: readonly Role[],
  { door, beforeWork }: ServeOptions = {},
): Promise<RunningServer> {
  const deps = createDeps(config, log);
  try {
    await requireSchema(deps.db);
    if (deps.limitsDb !== deps.db && roles.includes('api'))
      await requireSchema(deps.limitsDb, 'RATE_LIMIT_URL');
    if (roles.includes('worker') && config.networks.length > 0) await requireOwnDatabase(deps, config);
    const server = await buildApp(deps, {
      ...config,
      servesApi: roles.includes('api'),
      ...(door && { door }),
    });
    const servers = config.metricsPort === undefined ? [server] : [server, buildMetricsServer(deps)];
    const [url, metricsUrl] = await listenAll(servers, config);
    // A port that the system chose is known only now.
    if (deps.publicUrl === httpOrigin(config.host, 0)) deps.publicUrl = url!;
    await beforeWork?.({ url: url!, deps }).catch(async (error) => {
      await Promise.all(servers.map((one) => one.close()));
      throw error;
    });
    const workers = roles.includes('worker')
      ? [runJobs(traceJobs(jobs, deps.traces), deps), runServices(services, deps)]
      : [];

    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= (async () => {
        const timer = setTimeout(() => cutOff(servers, deps, config), config.shutdownGraceMs);
        await Promise.all([...servers.map((one) => one.close()), ...workers.map((one) => one.stop())]);
        await flushRequests(deps);
        await Promise.all([endDatabases(deps), deps.traces?.stop()]);
        clearTimeout(timer);
        log.info('stopped');
      })();
      return stopped;
    };
    warnOfMissingRoles(config, log);
    log.info({ url, metricsUrl, roles }, 'started');
    return { url: url!, ...(metricsUrl && { metricsUrl }), deps, stop };
  } catch (error) {
    await Promise.all([endDatabases(deps), deps.traces?.stop()]);
    throw error;
  }
}

/** Entries from before there were roles work on, as administrators. */
function warnOfMissingRoles({ operatorTokens }: Config, log: Log): void {
  const operators = [...operatorTokens].filter(([, { role }]) => role === undefined).map(([name]) => name);
  if (operators.length === 0) return;
  log.warn(
    { operators },
    'entries of OPERATOR_TOKENS without a role are administrators: use name:role:token',
  );
}

export function createDeps(config: Config, log: Log): Deps {
  const metrics = createMetrics();
  const traces = openTraces(config, log, metrics);
  const withTraces = (pool: Pool) => (traces ? tracePool(pool, traces) : pool);
  const replicas = config.databaseReadUrls.map((url) => openPool(config, url, log, true));
  const db = withTraces(openDatabase(config, replicas, { log, metrics }));
  const hasLimitsApart = config.rateLimitStore === 'postgres' && config.rateLimitUrl !== '';
  const limitsDb = !hasLimitsApart ? db : withTraces(openPool(config, config.rateLimitUrl, log));
  const outgoing = createOutgoing(config.outgoing);
  return {
    db,
    log,
    clock: systemClock,
    sealer: createSealer(config.encryptionKeys),
    limiter: config.rateLimitStore === 'postgres' ? createPostgresLimiter(limitsDb) : createMemoryLimiter(),
    limitsDb,
    metrics,
    ...(traces && { traces }),
    evm: createEvm(config.networks, metrics.countNodeCall, traces),
    screening: createScreening(config.screeningUrl),
    issuer: config.issuer ? createHttpIssuer(config.issuer) : noIssuer,
    prices: createPrices(config.pricesUrl),
    outgoing: traces ? traceOutgoing(outgoing, traces) : outgoing,
    publicUrl: config.publicUrl,
    brand: readBrand(config.brand),
    isReplicationSynchronous: config.databaseReplication === 'synchronous',
    deploymentId: config.deploymentId,
    installation: {
      databasePoolMax: config.databasePoolMax,
      isDurabilityRequired: config.databaseDurability === 'required',
      secretFiles: config.secretFiles,
      replicas,
      ...(config.rateLimitStore === 'postgres' && { limits: { db: limitsDb, isApart: hasLimitsApart } }),
    },
  };
}

const openTraces = ({ tracesUrl }: Config, log: Log, { countDroppedSpans }: Metrics): Traces | undefined =>
  tracesUrl ? createTraces({ endpoint: tracesUrl, log, onDrop: countDroppedSpans }) : undefined;

function openDatabase(
  config: Config,
  replicas: readonly Pool[],
  { log, metrics }: { log: Log; metrics: Metrics },
): Pool {
  const primary = openPool(config, config.databaseUrl, log);
  if (replicas.length === 0) return primary;
  const isSynchronous = config.databaseReplication === 'synchronous';
  return withReplicas(primary, { replicas, isSynchronous, log, count: metrics.countRead });
}

const openPool = (config: Config, url: string, log: Log, isReplica = false): Pool =>
  createPool({
    url,
    isReplica,
    connectionsMax: config.databasePoolMax,
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    lockTimeoutMs: config.databaseLockTimeoutMs,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    log,
  });

/** Safe to call twice. */
export async function endDatabases({ db, limitsDb }: Pick<Deps, 'db' | 'limitsDb'>): Promise<void> {
  await Promise.all([...new Set([db, limitsDb])].map((pool) => pool.end()));
}

/** Before a wallet is used: the database keeps what is committed, and is the one of this deployment. */
async function requireOwnDatabase(deps: Deps, config: Config): Promise<void> {
  if (config.databaseDurability === 'required') await requireDurable(deps.db);
  if (config.databaseReplication === 'synchronous') await requireSynchronous(deps.db);
  await claimDeployment(deps, config.deploymentId);
}

/** One sentence where the database does not answer, or has another schema than this release's. */
export async function requireSchema(db: Pool, setting = 'DATABASE_URL'): Promise<void> {
  const schema = await readSchema(db).catch((error: Error) => {
    throw unreachable(error, setting);
  });
  requireKnownSchema(schema, setting);
}

/**
 * The address is the operator's own setting and may hold a password, so only the driver's reason is shown.
 */
export function unreachable(error: Error, setting = 'DATABASE_URL'): StartupError {
  const reason = error.cause instanceof Error ? error.cause : error;
  const describe = (outcome: string) =>
    `The database at ${setting} ${outcome}: ${reason.message || 'connection refused'}.`;
  // Only an error that the server sent has a severity: it answers, and refuses.
  if ('severity' in reason) return new StartupError(describe('refused'), { cause: error });
  return new Unreachable(describe('does not answer'), { cause: error });
}

/** The app, and with `METRICS_PORT` a second server. If one cannot listen, none is left open. */
async function listenAll(servers: readonly HttpServer[], config: Config): Promise<string[]> {
  try {
    const urls: string[] = [];
    for (const [at, server] of servers.entries())
      urls.push(await listen(server, config, at === 0 ? 'PORT' : 'METRICS_PORT'));
    return urls;
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    throw error;
  }
}

async function listen(
  server: HttpServer,
  { host, port, metricsPort }: Config,
  name: PortSetting,
): Promise<string> {
  const wanted = name === 'PORT' ? port : metricsPort!;
  try {
    await server.listen({ host, port: wanted });
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, { host, port: wanted, name });
  }
  const address = server.server.address();
  const bound = typeof address === 'object' && address ? address.port : wanted;
  return httpOrigin(host, bound);
}

/** Callers see their connections break; PostgreSQL rolls back what was not committed. */
function cutOff(
  servers: readonly HttpServer[],
  { db, limitsDb, log }: Deps,
  { shutdownGraceMs }: Config,
): void {
  log.warn({ graceMs: shutdownGraceMs }, 'work was still running when the grace period ended; it is aborted');
  for (const { server } of servers) server.closeAllConnections();
  db.cutOff();
  limitsDb.cutOff();
}
