import { Socket } from 'node:net';
import pg from 'pg';
import { DatabaseUnavailable } from '../errors/errors.ts';
import type { Log } from '../observe/log.ts';
import { encodeArray } from './encode-array.ts';
import { followPrimary, type Servers } from './follow-primary.ts';
import { type Listener, listen } from './listen.ts';

export type Row = Record<string, unknown>;

/** A place to run SQL: the pool, or one transaction on one connection. */
export interface Db {
  query<T extends Row = Row>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /**
   * Runs `work` in a transaction; within a transaction, in the same one. It resolves only if PostgreSQL
   * committed: if `work` caught the error of a statement, everything is rolled back and this throws.
   */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Only of requests that replicas may serve: how `batchLoader` asks for several of them at once. */
  readonly sharing?: Sharing;
}

export interface Sharing {
  /** The same for requests that may share a statement. */
  key: object;
  request: unknown;
  /** A database for statements of all these requests: it shows what each of them must see. */
  open(requests: readonly unknown[]): Db;
}

export interface Pool extends Db {
  /**
   * With a signal, an abort ends the transaction at the server and releases its connection, whatever `work`
   * waits for.
   */
  transaction<T>(work: (db: Db) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Several statements on one connection, without a transaction. */
  onConnection<T>(work: (db: Db, connection: Connection) => Promise<T>): Promise<T>;
  /**
   * For one request that reads: replicas may serve its statements. They see everything that was committed
   * before the first one began, and what earlier ones saw. What writes, and transactions, run as usual.
   */
  reading(): Db;
  /** Waits for running work and closes every connection. Safe to call twice. */
  end(): Promise<void>;
  /** Breaks every connection at once; running statements fail as if the database were down. */
  cutOff(): void;
  counts(): { total: number; idle: number; waiting: number };
  /** Calls `onNotice` as `listen` does; the caller stops it before the pool ends. */
  listen(channel: string, onNotice: (payload?: string) => void): Listener;
}

/** Tells one connection from another. */
export type Connection = object;

export interface PoolOptions {
  url: string;
  connectionsMax: number;
  /** For connecting and for waiting for a free connection: a silent server must not block a request. */
  connectTimeoutMs?: number;
  /** A statement that waits for a lock occupies a connection that others need; its caller can retry. */
  lockTimeoutMs?: number;
  statementTimeoutMs: number;
  /** What a server in recovery refuses says nothing about its connections. */
  isReplica?: boolean;
  log: Log;
}

// bigint columns are counts and minor units: a JavaScript number would round them.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
// So are numeric ones; a query that means a fraction casts it to text.
pg.types.setTypeParser(pg.types.builtins.NUMERIC, BigInt);

export function createPool(options: PoolOptions): Pool {
  const { url, connectionsMax, statementTimeoutMs, log } = options;
  const { connectTimeoutMs = 3_000, lockTimeoutMs = 2_000, isReplica = false } = options;
  const sockets = new Set<Socket>();
  const cutOff = () => {
    for (const socket of sockets) socket.destroy();
  };
  const connect = (to: string, onConnect?: (client: pg.ClientBase) => Promise<void>) => {
    const driver = new pg.Pool({ ...settings, connectionString: to, ...(onConnect && { onConnect }) });
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    driver.on('error', (err) => log.warn({ err }, 'idle database connection lost'));
    // Nor does the pool listen between a connection's first answer and its caller: a server that dies then
    // would end the process. The caller gets the error from the next query.
    driver.on('connect', (client) => client.on('error', () => {}));
    return driver;
  };
  const settings: pg.PoolConfig = {
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
    max: connectionsMax,
    application_name: 'causeway',
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    // The server cancels first; this limit is for a frozen server or a dead network.
    query_timeout: statementTimeoutMs + 1_000,
    // A frozen process must not keep row locks.
    idle_in_transaction_session_timeout: 10_000,
  };
  const servers = followPrimary(url, { connect, log });

  return {
    query: (text, values) => onOwn(servers, (db) => db.query(text, values), isReplica),
    onConnection: (work) => onOwn(servers, work, isReplica),
    reading() {
      return this;
    },
    transaction: (work, signal) => runTransaction(servers, work, signal),
    listen: (channel, onNotice) => {
      // Also a process that does nothing but listen follows the server.
      const onFailure = () => void servers.move(servers.driver).catch(() => {});
      const url = async () => {
        await servers.settle();
        return servers.url;
      };
      return listen({ url, channel, log, onNotice, onFailure });
    },
    cutOff,
    async end() {
      await servers.end();
      // A frozen server does not answer the goodbye: its sockets must not keep the process alive.
      setTimeout(cutOff, 1_000).unref();
    },
    counts: () => {
      const { totalCount, idleCount, waitingCount } = servers.driver;
      return { total: totalCount, idle: idleCount, waiting: waitingCount };
    },
  };
}

/**
 * The driver's `query` closes the connection at any error: a refused insert would cost the next caller a
 * login.
 */
async function onOwn<T>(
  servers: Servers,
  work: (db: Db, connection: Connection) => Promise<T>,
  isReplica: boolean,
): Promise<T> {
  const { client, release, noteLoss: note, requireConfirmed } = await checkOut(servers);
  const noteLoss = (error: unknown): never => {
    if (isReplica && isRefusedInRecovery(error)) throw error;
    return note(error);
  };
  const db: Db = {
    query: async (text, values) => {
      const rows = await runQuery<never>(client, text, values).catch(noteLoss);
      requireConfirmed();
      return rows;
    },
    transaction: () => Promise.reject(new Error('a transaction needs a connection of its own')),
  };
  try {
    return await work(db, client);
  } finally {
    release();
  }
}

async function runQuery<T extends Row>(
  on: pg.PoolClient,
  text: string,
  values?: readonly unknown[],
): Promise<T[]> {
  try {
    const name = values && statementName(text);
    const result = await on.query<T>({ name, text, values: values?.map(encodeValue) });
    return result.rows;
  } catch (error) {
    throw asUnavailable(error);
  }
}

const encodeValue = (value: unknown) => (Array.isArray(value) ? (encodeArray(value) ?? value) : value);

/** A text that ends with this is not prepared: PostgreSQL plans it for the values of each call. */
export const plannedAtEachCall = ' /* planned at each call */';

/**
 * Statements with values are prepared once for each connection. Planned at each call, the rate limiter's
 * takes 2.7 times as long (`npm run bench -- shortcuts statements`). Our SQL is fixed texts; the bound
 * protects servers from too many plans if code ever builds texts.
 */
const statementNames = new Map<string, string>();
const statementNamesMax = 1_000;

function statementName(text: string): string | undefined {
  if (text.endsWith(plannedAtEachCall)) return undefined;
  const known = statementNames.get(text);
  if (known || statementNames.size >= statementNamesMax) return known;
  const name = `causeway_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

async function runTransaction<T>(
  servers: Servers,
  work: (db: Db) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  const { client, driver, release, noteLoss, discard, requireConfirmed } = await checkOut(servers);
  let isOver = false;
  const aborted = untilAborted(signal, () => {
    isOver = true;
    discard(signal!.reason);
    terminate(driver, client);
  });
  const db: Db = {
    query: (text, values) => {
      // A branch that outlives its transaction would write into the connection's next use.
      if (isOver) return Promise.reject(new Error('this transaction is over'));
      return runQuery<never>(client, text, values).catch(noteLoss);
    },
    transaction: (inner) => inner(db),
  };
  try {
    await db.query('begin');
    const result = await Promise.race([work(db), aborted.promise]);
    isOver = true;
    const { command } = await client.query('commit').catch((error) => noteLoss(asUnavailable(error)));
    if (command !== 'COMMIT')
      throw new Error('rolled back: a statement of this transaction failed and its error was caught');
    requireConfirmed();
    return result;
  } catch (error) {
    isOver = true;
    // On a hanging connection a rollback would hang as well; closing it also rolls back.
    if (signal?.aborted) throw signal.reason;
    if (!isLoss(error)) await client.query('rollback').catch(discard);
    throw error;
  } finally {
    aborted.forget();
    release();
  }
}

/** Rejects when the signal is aborted; stops listening once the work is over. */
function untilAborted(signal: AbortSignal | undefined, onAbort: () => void) {
  const { promise, reject } = Promise.withResolvers<never>();
  // It may come while nobody waits for it yet.
  promise.catch(() => undefined);
  const listener = () => {
    onAbort();
    reject(signal!.reason);
  };
  if (signal?.aborted) listener();
  else signal?.addEventListener('abort', listener, { once: true });
  return { promise, forget: () => signal?.removeEventListener('abort', listener) };
}

/** A dedicated connection. One that broke, or may have, is closed on release. */
async function checkOut(servers: Servers) {
  const { client, driver } = await connectTo(servers);
  let broken: Error | undefined;
  const discard = (error: Error) => {
    broken = error;
  };
  // The pool listens only while a connection is idle.
  client.on('error', discard);
  let isUnconfirmed = false;
  const onNotice = ({ routine }: { routine?: string | undefined }) => {
    if (routine === waitsForStandby) isUnconfirmed = true;
  };
  client.on('notice', onNotice);
  return {
    client,
    driver,
    discard,
    noteLoss: (error: unknown): never => {
      if (isLoss(error)) discard(error as Error);
      if (isSilent(error)) terminate(driver, client);
      if (isSilent(error) || isReadOnly(error)) servers.suspect(driver);
      throw error;
    },
    requireConfirmed: () => {
      if (!isUnconfirmed) return;
      const cause = new Error('the wait for a synchronous standby was canceled');
      discard(cause);
      throw new DatabaseUnavailable('the commit is not confirmed by a standby', true, cause);
    },
    release: () => {
      client.off('error', discard);
      client.off('notice', onNotice);
      client.release(broken);
    },
  };
}

/**
 * Where PostgreSQL waits for a synchronous standby. If a timeout or an administrator ends that wait, it says
 * so in a warning and answers as if all were well, although a promotion would lose the commit.
 */
const waitsForStandby = 'SyncRepWaitForLSN';

/** To the server that accepts writes, after a failure once more. */
async function connectTo(servers: Servers): Promise<{ client: pg.PoolClient; driver: pg.Pool }> {
  await servers.settle();
  for (let attempt = 1; ; attempt++) {
    const { driver } = servers;
    try {
      return { driver, client: await driver.connect() };
    } catch (error) {
      const refusal = asUnavailable(error);
      if (attempt > 1 || !isLoss(refusal) || !(await servers.move(driver))) throw refusal;
    }
  }
}

const causeOf = (error: unknown) =>
  isLoss(error) ? ((error as DatabaseUnavailable).cause as Error & { code?: string }) : undefined;

/** What a standby refuses: writes, unlogged tables, the place of a log that it does not write. */
export function isRefusedInRecovery(error: unknown): boolean {
  const cause = (error instanceof DatabaseUnavailable ? error.cause : error) as Partial<pg.DatabaseError>;
  const { code, routine, message = '' } = cause;
  // A statement whose result changed with a migration has the same code.
  const isUnsupported = code === '0A000' && routine !== 'RevalidateCachedQuery';
  return code === '25006' || isUnsupported || message.startsWith('recovery is in progress');
}

/** It became a standby: its other connections are no better. */
const isReadOnly = (error: unknown) => causeOf(error)?.code === '25006';

/** It does not answer, or its commits wait for a standby that does not. */
const isSilent = (error: unknown) => causeOf(error)?.message === 'Query read timeout';

/**
 * At the server: if we only closed the connection, it would notice after the running statement, and not while
 * a commit waits for a standby. Those that wait would then fill the server.
 */
function terminate(driver: pg.Pool, client: pg.PoolClient): void {
  const { processID } = client as pg.PoolClient & { processID: number };
  // On a separate connection: the pool may be full of those that wait, or may have been replaced.
  const own = new pg.Client({
    connectionString: driver.options.connectionString,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  own.on('error', () => {});
  own
    .connect()
    .then(() => own.query('select pg_terminate_backend($1)', [processID]))
    .catch(() => undefined)
    .finally(() => own.end().catch(() => undefined));
}

const isLoss = (error: unknown) => error instanceof DatabaseUnavailable && error.isConnectionLost;

const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
  '25006', // read_only_sql_transaction: a standby that is not promoted yet
]);
/** The server answers and a retry may succeed: it was busy, or two transactions conflicted. */
const busyCodes = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57014', // query_canceled, by a timeout
]);
const unavailableMessages =
  /^(recovery is in progress|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error)|Cannot use a pool after)/;

function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = (error as { code?: string }).code ?? '';
  const lost = unavailableCodes.has(code) || code.startsWith('08') || unavailableMessages.test(error.message);
  if (!lost && !busyCodes.has(code)) return error;
  return new DatabaseUnavailable(lost ? 'database unavailable' : 'database busy', lost, error);
}

/** True for an error about the named constraint: unique, foreign key, check or exclusion. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof Error && (error as { constraint?: string }).constraint === constraint;
}
