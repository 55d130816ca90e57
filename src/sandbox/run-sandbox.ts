import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { type Config, type Environment, readConfig, readSetting } from '../config.ts';
import { contextFor } from '../context.ts';
import { cannotListen, createDeps, type RunningServer, serve, stopOnSignal, unreachable } from '../main.ts';
import { createLog, type Log } from '../platform/log.ts';
import { migrate } from '../platform/migrate.ts';
import { StartError } from '../platform/start-error.ts';
import { describeSandbox } from './banner.ts';
import { type SandboxDatabase, startDatabase } from './database.ts';
import { loadDemo } from './demo.ts';
import { lockFolder } from './folder-lock.ts';
import { readSandboxFile, type SandboxFile, writeSandboxFile } from './sandbox-file.ts';
import { readOrMakeSecrets } from './secrets.ts';

/** `npm start`: everything on this machine, until Ctrl-C. What it started, it stops, in the opposite order. */
export async function runSandbox(args: string[], env: Environment): Promise<void> {
  const startedAt = performance.now();
  const reset = readReset(args);
  const home = path.resolve(readSetting(env, 'CAUSEWAY_HOME')!);
  const undo: (() => Promise<void>)[] = [];
  let isStopping = false;
  let startEnded = () => {};
  const start = new Promise<void>((resolve) => {
    startEnded = resolve;
  });
  // Ctrl-C during the start is noticed after the step that is under way, when it is known what there is to stop.
  const signalled = stopOnSignal(async () => {
    isStopping = true;
    await start;
    await stopInReverse(undo);
  });
  const started = (stop: () => Promise<void>) => {
    undo.push(stop);
    if (isStopping) throw new Interrupted();
  };
  try {
    started(await lockFolder(home));
    if (reset) resetHome(home, env);
    const config = readSandboxConfig(home, env);
    await requireFreePort(config);
    const log = createLog({
      level: config.logLevel,
      destination: pino.destination({ dest: path.join(home, 'causeway.log'), mode: 0o600, sync: true }),
    });
    const database = await openDatabase(home, env, log);
    started(database.stop);
    const { server, sandbox } = await startServer(home, { ...config, databaseUrl: database.url }, log);
    started(server.stop);
    console.log(describeSandbox(sandbox, { home, elapsedMs: performance.now() - startedAt }));
  } catch (error) {
    await stopInReverse(undo);
    if (!(error instanceof Interrupted)) throw error;
  } finally {
    startEnded();
  }
  await signalled;
}

class Interrupted extends Error {}

async function stopInReverse(undo: (() => Promise<void>)[]): Promise<void> {
  for (let stop = undo.pop(); stop; stop = undo.pop()) await stop();
}

/** The operator's settings, with the sandbox's own secrets in place of any for production. */
function readSandboxConfig(home: string, env: Environment): Config {
  const { operatorToken, encryptionKey } = readOrMakeSecrets(home);
  return readConfig({
    RATE_LIMIT_STORE: 'memory',
    ...env,
    DATABASE_URL: readSetting(env, 'DATABASE_URL') ?? 'postgres://embedded',
    OPERATOR_TOKENS: `sandbox:${operatorToken}`,
    OPERATOR_TOKENS_FILE: undefined,
    ENCRYPTION_KEYS: `1:${encryptionKey}`,
    ENCRYPTION_KEYS_FILE: undefined,
  });
}

/** The demo data is there before the first request is answered, and `sandbox.json` right after. */
async function startServer(
  home: string,
  config: Config,
  log: Log,
): Promise<{ server: RunningServer; sandbox: SandboxFile }> {
  await migrate(config.databaseUrl).catch((error) => {
    if (!(error instanceof StartError)) throw unreachable(error);
    throw new StartError(`${error.message} In the sandbox, npm start -- --reset begins anew.`, {
      cause: error,
    });
  });
  const deps = createDeps(config, log);
  const ctx = contextFor(deps, { kind: 'operator', name: 'sandbox' }, log);
  const demo = await loadDemo(ctx, readSandboxFile(home)).finally(deps.db.end);

  const server = await serve(config, log, ['api', 'worker']);
  const { url } = server;
  const operatorToken = config.operatorTokens.get('sandbox')!;
  const sandbox = { baseUrl: url, historyUrl: url, mcpUrl: url, operatorUrl: url, operatorToken, ...demo };
  writeSandboxFile(home, sandbox);
  return { server, sandbox };
}

async function openDatabase(home: string, env: Environment, log: Log): Promise<SandboxDatabase> {
  const url = readSetting(env, 'DATABASE_URL');
  return url ? { url, stop: async () => {} } : startDatabase(home, log);
}

function readReset(args: string[]): boolean {
  try {
    return parseArgs({ args, options: { reset: { type: 'boolean' } }, strict: true }).values.reset ?? false;
  } catch {
    throw new StartError('The sandbox knows one flag, --reset.');
  }
}

/** Everything but the lock, which is ours by now. */
function resetHome(home: string, env: Environment): void {
  if (readSetting(env, 'DATABASE_URL')) {
    throw new StartError(
      '--reset empties only the embedded database: unset DATABASE_URL, or drop that database yourself.',
    );
  }
  for (const name of [
    'postgres',
    'postgres-password',
    'postgres.log',
    'causeway.log',
    'sandbox.json',
    'secrets.json',
  ]) {
    const entry = path.join(home, name);
    if (existsSync(entry)) rmSync(entry, { recursive: true, force: true });
  }
}

/** Asked before PostgreSQL is started, so that the most common mistake is answered at once. */
async function requireFreePort({ host, port }: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
      .once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)))
      .listen(port, host, () => probe.close(() => resolve()));
  });
}
