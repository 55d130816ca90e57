import * as fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { errorCode, reasonOf, StartupError } from '#platform/errors/startup-error';
import { prepareFolder } from '../folder-lock.ts';
import { freePort } from '../free-port.ts';
import { type Exit, type GuardedProcess, spawnGuarded } from '../guarded-process.ts';
import { prepareCluster, superuser } from './cluster.ts';
import { settleData } from './data-folder.ts';
import { type Account, environment } from './folders.ts';
import { endLeftBehind, stopOrphan } from './orphan.ts';
import { binary, findServer, type ServerFiles } from './server-files.ts';
import { prepareLog, readLogFrom, tellingLine } from './server-log.ts';

const millisecondsToAnswer = 120_000;

const startAttempts = 5;

export interface PostgresOptions {
  folder: string;
  /** Default: a free port, chosen at each start. */
  port?: number;
  /** False is faster, but a crash may lose data; for tests. */
  durable: boolean;
  settings?: Record<string, string | number | boolean>;
  /** Called when the first process runs, and we have nothing to do but wait for it. */
  onSpawn?: (() => void) | undefined;
}

export interface Postgres {
  url(database?: string): string;
  port: number;
  pid: number;
  logFile: string;
  exited: Promise<Exit>;
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL server that comes with the npm packages, with its data in `<folder>/postgres`. The
 * caller holds the folder's lock: a server that is found running on this data is taken for an orphan and
 * stopped.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const folder = await prepareFolder(options.folder);
  try {
    const { data, account } = await settleData(folder);
    const server = await findServer(folder, account);
    await stopOrphan(data);
    const logFile = path.join(folder, 'postgres.log');
    await prepareLog(logFile, account);
    const password = await prepareCluster({
      folder,
      data,
      account,
      server,
      logFile,
      durable: options.durable,
      onSpawn: options.onSpawn,
    });
    return await launch({ options, data, account, server, logFile, password });
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`PostgreSQL cannot be started in ${folder}: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

function serverSettings({ durable, settings }: PostgresOptions, port: number) {
  return {
    shared_buffers: '128MB',
    max_connections: 100,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
    listen_addresses: '127.0.0.1',
    port,
    // The path of a socket may have about 100 characters, and a project's folder is often deeper.
    unix_socket_directories: '',
    // Rows contain personal data and credentials, and logs are handled with less care than a database. Values
    // reach a log as parameters, as literals of a logged statement, in the details of an error ("Key
    // (email)=(...) already exists") and in its message ("invalid input syntax"). So errors of statements are
    // not logged; the client that sent the statement gets them.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_statement: 'none',
    log_min_duration_statement: -1,
    log_min_duration_sample: -1,
    log_transaction_sample_rate: 0,
    log_parameter_max_length: 0,
    log_parameter_max_length_on_error: 0,
  };
}

interface Launch {
  options: PostgresOptions;
  data: string;
  account: Account | undefined;
  server: ServerFiles;
  logFile: string;
  password: string;
}

async function launch({ options, data, account, server, logFile, password }: Launch): Promise<Postgres> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const url = (database = 'postgres') =>
      `postgres://${superuser}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
    const settings = Object.entries(serverSettings(options, port));
    const logStart = (await fs.stat(logFile)).size;
    const running = await spawnGuarded({
      command: binary(server, 'postgres'),
      args: ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      cwd: '/',
      env: environment,
      ...account,
      stopSignal: 'SIGINT',
      logFile,
    });
    options.onSpawn?.();
    const failure = await failureToAnswer(running, url());
    if (failure === undefined) {
      const { pid, exited, stop } = running;
      return { url, port, pid, logFile, exited, stop };
    }
    await running.stop();
    const log = await readLogFrom(logFile, logStart);
    const portIsTaken = log.includes('could not create any TCP/IP sockets');
    if (portIsTaken && options.port === undefined && attempt < startAttempts) continue;
    if (log.includes('pre-existing shared memory block') && attempt < startAttempts) {
      // The processes of a killed server notice that it is gone only when their query is done.
      await endLeftBehind(data);
      await sleep(1000);
      continue;
    }
    if (portIsTaken)
      throw new StartupError(`PostgreSQL cannot listen on 127.0.0.1:${port}: the port is in use.`);
    throw new StartupError(`PostgreSQL did not start, ${failure}: ${tellingLine(log)} (see ${logFile}).`);
  }
}

async function failureToAnswer(running: GuardedProcess, url: string): Promise<string | undefined> {
  let exit: Exit | undefined;
  void running.exited.then((itsExit) => {
    exit = itsExit;
  });
  const deadline = Date.now() + millisecondsToAnswer;
  while (Date.now() < deadline) {
    // Another program on the port may accept a connection and never answer.
    const refusal = await Promise.race([refusalOf(url), running.exited.then(() => 'not ready' as const)]);
    if (refusal === undefined) return undefined;
    if (refusal === 'invalid password') {
      // Either the password is wrong, or another server took the port, of which ours is about to die.
      await Promise.race([running.exited, sleep(1000)]);
      if (exit === undefined) return 'it does not accept the password kept in its folder';
    }
    if (exit !== undefined) return `it ended with ${exit.signal ?? `code ${exit.code}`}`;
    await sleep(20);
  }
  return `it did not answer within ${millisecondsToAnswer / 1000} seconds`;
}

async function refusalOf(url: string): Promise<'invalid password' | 'not ready' | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return undefined;
  } catch (error) {
    return errorCode(error) === '28P01' ? 'invalid password' : 'not ready';
  } finally {
    await client.end().catch(() => {});
  }
}
