import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { type Environment, readConfig, readSetting } from '../config.ts';
import { contextFor } from '../context.ts';
import { type RunningServer, serve, stopOnSignal, unreachable } from '../main.ts';
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
  const stop = async () => {
    while (undo.length > 0) await undo.pop()!();
  };
  // From the first moment: Ctrl-C during the start stops what has started by then.
  const signalled = stopOnSignal(stop);
  try {
    undo.push(await lockFolder(home));
    await requireFreePort(env);
    if (reset) resetHome(home, env);
    const log = createLog({
      level: readSetting(env, 'LOG_LEVEL')!,
      destination: pino.destination({ dest: path.join(home, 'causeway.log'), mode: 0o600, sync: true }),
    });
    const database = await openDatabase(home, env, log);
    undo.push(database.stop);
    const { server, sandbox } = await startServer(home, { ...env, DATABASE_URL: database.url }, log);
    undo.push(server.stop);
    console.log(describeSandbox(sandbox, { home, elapsedMs: performance.now() - startedAt }));
  } catch (error) {
    await stop();
    throw error;
  }
  await signalled;
}

async function startServer(
  home: string,
  env: Environment,
  log: Log,
): Promise<{ server: RunningServer; sandbox: SandboxFile }> {
  const { operatorToken, encryptionKey } = readOrMakeSecrets(home);
  await migrate(env.DATABASE_URL!).catch((error) => {
    if (!(error instanceof StartError)) throw unreachable(error);
    throw new StartError(`${error.message} In the sandbox, npm start -- --reset begins anew.`, {
      cause: error,
    });
  });
  const config = readConfig({
    RATE_LIMIT_STORE: 'memory',
    ...env,
    OPERATOR_TOKENS: `sandbox:${operatorToken}`,
    ENCRYPTION_KEYS: `1:${encryptionKey}`,
  });
  const server = await serve(config, log, ['api', 'worker']);
  try {
    const ctx = contextFor(server.deps, { kind: 'operator', name: 'sandbox' }, log);
    const demo = await loadDemo(ctx, readSandboxFile(home));
    const { url } = server;
    const sandbox = { baseUrl: url, historyUrl: url, mcpUrl: url, operatorUrl: url, operatorToken, ...demo };
    writeSandboxFile(home, sandbox);
    return { server, sandbox };
  } catch (error) {
    await server.stop();
    throw error;
  }
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
async function requireFreePort(env: Environment): Promise<void> {
  const port = Number(readSetting(env, 'PORT'));
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return; // readConfig says it better
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
      .once('error', (error: NodeJS.ErrnoException) => {
        const isTaken = error.code === 'EADDRINUSE';
        const sentence = isTaken
          ? `Port ${port} is taken: choose another with PORT, such as PORT=${port + 1}.`
          : `Port ${port} cannot be used: ${error.message}.`;
        reject(new StartError(sentence));
      })
      .listen(port, readSetting(env, 'HOST'), () => probe.close(() => resolve()));
  });
}
