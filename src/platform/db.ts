import { Socket } from 'node:net';
import pg from 'pg';
import { DatabaseUnavailable } from './errors.ts';
import type { Log } from './log.ts';

export type Row = Record<string, unknown>;

/** A place to run SQL: the pool, or one transaction on one connection. */
export interface Db {
  query<T extends Row = Row>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Runs `work` in a transaction; inside one already, in the same one. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

export interface Pool extends Db {
  /** Waits for what is running and closes every connection. */
  end(): Promise<void>;
  /** Breaks every connection at once; what was running on one fails as if the database had gone. */
  cutOff(): void;
  counts(): { total: number; idle: number; waiting: number };
  /** The driver's own pool, for LISTEN and COPY, which need a connection to themselves. */
  readonly driver: pg.Pool;
}

export interface PoolOptions {
  url: string;
  connectionsMax: number;
  statementTimeoutMs: number;
  log: Log;
}

// bigint columns are counts and minor units: a JavaScript number would round them.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, (text) => (/^-?\d+$/.test(text) ? BigInt(text) : text));

export function createPool({ url, connectionsMax, statementTimeoutMs, log }: PoolOptions): Pool {
  const sockets = new Set<Socket>();
  const cutOff = () => {
    for (const socket of sockets) socket.destroy();
  };
  const driver = new pg.Pool({
    connectionString: url,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
    max: connectionsMax,
    application_name: 'causeway',
    // A server that accepts and then says nothing must not hold a request: connecting and waiting for a free connection
    // share this bound.
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    // The server cancels first; this one is for a server that froze or a network that went dark.
    query_timeout: statementTimeoutMs + 1_000,
    // A frozen process must not keep row locks.
    idle_in_transaction_session_timeout: 10_000,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  driver.on('error', (err) => log.warn({ err }, 'idle database connection lost'));

  return {
    driver,
    query: (text, values) => runQuery(driver, text, values),
    transaction: (work) => runTransaction(driver, work),
    cutOff,
    async end() {
      await driver.end();
      // The driver has said goodbye and a frozen server does not answer: its sockets must not keep the process.
      setTimeout(cutOff, 1_000).unref();
    },
    counts: () => ({ total: driver.totalCount, idle: driver.idleCount, waiting: driver.waitingCount }),
  };
}

async function runQuery<T extends Row>(
  on: pg.Pool | pg.PoolClient,
  text: string,
  values?: readonly unknown[],
): Promise<T[]> {
  try {
    const name = values && statementName(text);
    const result = await on.query<T>({ name, text, values: values as unknown[] | undefined });
    return result.rows;
  } catch (error) {
    throw asUnavailable(error);
  }
}

/**
 * Statements with values are prepared once for each connection: planned again at each call, the rate limiter's took twice as
 * long. Our SQL is fixed texts; should some code ever build texts, the bound keeps servers from filling up with plans.
 */
const statementNames = new Map<string, string>();
const statementNamesMax = 1_000;

function statementName(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known || statementNames.size >= statementNamesMax) return known;
  const name = `causeway_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

async function runTransaction<T>(driver: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> {
  let client: pg.PoolClient;
  try {
    client = await driver.connect();
  } catch (error) {
    throw asUnavailable(error);
  }
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  // The pool listens only while a connection is idle.
  client.on('error', onError);
  const db: Db = {
    query: (text, values) =>
      runQuery<never>(client, text, values).catch((error) => {
        if (error instanceof DatabaseUnavailable) broken = error;
        throw error;
      }),
    transaction: (inner) => inner(db),
  };
  try {
    await db.query('begin');
    const result = await work(db);
    await db.query('commit');
    return result;
  } catch (error) {
    // On a connection that hangs, a rollback would hang as long again; closing it rolls back as well.
    if (!broken) await client.query('rollback').catch(onError);
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

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
]);
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error)|Cannot use a pool after)/;

function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = (error as { code?: string }).code ?? '';
  const lost = unavailableCodes.has(code) || code.startsWith('08') || unavailableMessages.test(error.message);
  return lost ? new DatabaseUnavailable('database unavailable', { cause: error }) : error;
}

/** True for a violation of the named unique or exclusion constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof Error && (error as { constraint?: string }).constraint === constraint;
}
