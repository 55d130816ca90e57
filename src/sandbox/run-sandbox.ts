import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import pino from 'pino';
import type { Config } from '#config/config';
import type { Environment } from '#config/setting';
import { readSetting } from '#config/settings';
import { cannotListen } from '#platform/errors/cannot-listen';
import { StartupError } from '#platform/errors/startup-error';
import { createLog, type Log } from '#platform/observe/log';
import { stopOnSignal } from '#platform/worker/stop-on-signal';
import { type SandboxDatabase, startDatabase } from './database.ts';
import { type Devnet, startDevnet } from './devnet/index.ts';
import { lockFolder } from './folder-lock.ts';
import { type SandboxIssuer, startIssuer } from './issuer/index.ts';
import { createLifecycle, Interrupted, type Lifecycle } from './lifecycle.ts';
import { requireOptionalPackages } from './optional-packages.ts';
import { writePricesFile } from './prices-file.ts';
import { readDevnets, readSandboxConfig } from './sandbox-config.ts';
import { readSandboxFile } from './sandbox-file.ts';
import { readOrMakeSecrets, type SandboxSecrets } from './secrets.ts';
import { makeCalls } from './world/make-calls.ts';

export interface SandboxOptions {
  /** Start from scratch, with an empty embedded database. */
  isReset: boolean;
  /** Called with what is being started now. */
  onStep(text: string): void;
  /** Called once, with how to use it. */
  onReady(text: string): void;
}

/** `npm start`: everything on this machine, until Ctrl-C; stops what it started, in reverse order. */
export async function runSandbox(env: Environment, options: SandboxOptions): Promise<void> {
  requireOptionalPackages(env);
  const home = path.resolve(readSetting(env, 'CAUSEWAY_HOME')!);
  const lifecycle = createLifecycle();
  const start = startSandbox(lifecycle, home, env, options);
  const signalled = stopOnSignal(async () => {
    lifecycle.interrupt();
    await start.catch(() => {});
    await lifecycle.stopAll();
  });
  try {
    const { lost } = await start;
    const failure = await Promise.race([signalled, lost]);
    if (failure) throw failure;
  } catch (error) {
    await lifecycle.stopAll();
    if (!(error instanceof Interrupted)) throw error;
  }
  await signalled;
}

/** Returns what can end the sandbox: the loss of a devnet. */
async function startSandbox(
  lifecycle: Lifecycle,
  home: string,
  env: Environment,
  { isReset, onStep, onReady }: SandboxOptions,
): Promise<Pick<Devnet, 'lost'>> {
  const startedAt = performance.now();
  await lifecycle.begin(lockFolder(home).then((release) => ({ stop: release })));
  if (isReset) resetHome(home, env);
  const secrets = readOrMakeSecrets(home);
  const config = readSandboxConfig(secrets, env, writePricesFile(home));
  await requireFreePort({ ...config, name: 'PORT' });
  if (config.metricsPort !== undefined)
    await requireFreePort({ host: config.host, port: config.metricsPort, name: 'METRICS_PORT' });
  const log = createLog({
    level: config.logLevel,
    destination: pino.destination({ dest: path.join(home, 'causeway.log'), mode: 0o600, sync: true }),
  });
  onStep('Starting PostgreSQL, three networks and a card issuer');
  const { parts, program } = startParts({ home, env, secrets, log, onStep });
  const [database, devnet, cardIssuer] = await lifecycle.begin<[OpenDatabase, Devnet, SandboxIssuer]>(
    ...parts,
  );
  const served: Config = {
    ...config,
    databaseUrl: database.url,
    networks: readDevnets(devnet, secrets),
    // A copy of another deployment's database is refused.
    deploymentId: 'sandbox',
    // An operator's test server may have `fsync` off: no real money moves here.
    databaseDurability: 'relaxed',
    issuer: { url: cardIssuer.url, token: secrets.cardIssuerToken },
    issuerWebhookSecrets: [secrets.cardWebhookSecret],
    // Receivers of a developer listen on this machine.
    outgoing: { ...config.outgoing, allowsLoopbackHttp: true },
  };
  onStep('Loading the demo data');
  const { loadDemo, serveDemo } = await program;
  const world = await loadDemo({ ...served, databaseUrl: hurried(database) }, { home, log, cardIssuer });
  onStep('Starting the server');
  const { operatorToken, loginToken } = secrets;
  const facts = {
    operatorToken,
    loginToken,
    ...world,
    networks: devnet.networks,
    cardIssuer: { url: cardIssuer.url, token: secrets.cardIssuerToken },
  };
  await lifecycle.begin(serveDemo(served, { home, facts, secrets, cardIssuer, log, startedAt, onReady }));
  await makeCalls(readSandboxFile(home)!);
  return devnet;
}

interface PartsOptions {
  home: string;
  env: Environment;
  secrets: SandboxSecrets;
  log: Log;
  onStep: SandboxOptions['onStep'];
}

/**
 * The server's code, about a second of CPU, is loaded while other processes and threads make and start the
 * parts. Loading blocks this thread, so it begins when the database's first process runs. The database is
 * migrated while the other parts start.
 */
function startParts({ home, env, secrets, log, onStep }: PartsOptions) {
  const { promise: spawned, resolve: noteSpawn } = Promise.withResolvers<void>();
  const devnet = startDevnet({ home, keys: secrets, log });
  const issuer = startIssuer({ ...issuerFiles(home), token: secrets.cardIssuerToken, log });
  const database = openDatabase(home, env, log, noteSpawn);
  const program = Promise.race([spawned, database]).then(() => import('./serve-demo.ts'));
  const migrated = database.then(async (opened) => {
    try {
      await (await program).migrateSandbox(hurried(opened), { isEmbedded: opened.isEmbedded, onStep });
      return opened;
    } catch (error) {
      await opened.stop();
      throw error;
    }
  });
  // Its failure is reported where it is awaited, and must not end the process before.
  program.catch(() => {});
  return { parts: [migrated, devnet, issuer] as const, program };
}

/**
 * For what the next start does again if it is lost: its commits do not wait for the disk. A later commit that
 * does takes them along.
 */
const hurried = ({ url, isEmbedded }: OpenDatabase): string =>
  isEmbedded ? `${url}?options=-c%20synchronous_commit%3Doff` : url;

const issuerFiles = (home: string) => ({
  folder: path.join(home, 'card-issuer'),
  logFile: path.join(home, 'card-issuer.log'),
});

interface OpenDatabase extends SandboxDatabase {
  isEmbedded: boolean;
}

async function openDatabase(
  home: string,
  env: Environment,
  log: Log,
  onSpawn: () => void,
): Promise<OpenDatabase> {
  const url = readSetting(env, 'DATABASE_URL');
  if (url) return { url, isEmbedded: false, stop: async () => {} };
  return { ...(await startDatabase(home, log, onSpawn)), isEmbedded: true };
}

/** Deletes everything except the lock, which we hold. */
function resetHome(home: string, env: Environment): void {
  if (readSetting(env, 'DATABASE_URL')) {
    throw new StartupError(
      '--reset empties only the embedded database: unset DATABASE_URL, or drop that database yourself.',
    );
  }
  for (const name of [
    'devnet',
    'postgres',
    'postgres-password',
    'postgres.log',
    'card-issuer',
    'card-issuer.log',
    'causeway.log',
    'prices.json',
    'sandbox.json',
    'secrets.json',
  ]) {
    rmSync(path.join(home, name), { recursive: true, force: true });
  }
}

/** Checked before PostgreSQL starts, so that the most common mistake is reported at once. */
async function requireFreePort(wanted: Parameters<typeof cannotListen>[1]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
      .once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, wanted)))
      .listen(wanted.port, wanted.host, () => probe.close(() => resolve()));
  });
}
