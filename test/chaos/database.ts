import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrate } from '#platform/db/migrate';
import { type Postgres, startPostgres } from '../../src/sandbox/postgres/index.ts';

/**
 * How a copy replaces the server. `promotion`: a standby that is promoted. `recovery`: a point-in-time
 * restore. Both begin another timeline. `files`: a copy of the files, which looks the same as the server that
 * it was taken from.
 */
export type Replacement = 'promotion' | 'recovery' | 'files';

export interface CrashingDatabase {
  url: string;
  crashes: number;
  /** Ends the server with SIGKILL and starts it again, on the same data and port. */
  crash(awayMs: number): Promise<void>;
  /**
   * Ends the server at once, copies its data and starts it again. What is committed later is not in the copy.
   */
  copy(): Promise<string>;
  /** Stops the server permanently and starts a copy in its place, on the same port. The copy is used up. */
  replace(copy: string, by: Replacement): Promise<void>;
  stop(): Promise<void>;
}

const startAttempts = 10;

/**
 * A migrated database on a separate PostgreSQL. What was committed survives a kill of the server, whose
 * writes the operating system has; to survive the loss of power, which does not happen here, it would also
 * have to be flushed.
 */
export async function startCrashingDatabase(folder: string): Promise<CrashingDatabase> {
  const options = {
    folder,
    durable: false,
    // A kill may cut a page's write in two, so whole pages go to the log. A restore finds its log in the
    // copy.
    settings: { synchronous_commit: 'on', full_page_writes: 'on', restore_command: '/bin/false' },
  };
  let postgres = await startPostgres(options);
  const admin = new pg.Client({ connectionString: postgres.url() });
  await admin.connect();
  await admin.query('create database chaos');
  await admin.end();
  const url = postgres.url('chaos');
  await migrate(url);
  const { port } = postgres;
  const data = await fs.realpath(path.join(folder, 'postgres'));
  let copies = 0;
  // One after another: each of them ends the server that the others would.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const result = last.then(act);
    last = result.catch(() => {});
    return result;
  };
  const end = async (signal: NodeJS.Signals) => {
    process.kill(postgres.pid, signal);
    await postgres.exited;
  };
  const start = async () => {
    postgres = await startAgain({ ...options, port });
  };

  const database: CrashingDatabase = {
    url,
    crashes: 0,
    crash: (awayMs) =>
      inTurn(async () => {
        await end('SIGKILL');
        await sleep(awayMs);
        await start();
        database.crashes += 1;
      }),
    copy: () =>
      inTurn(async () => {
        copies += 1;
        const copy = `${data}.copy-${copies}`;
        // Unlike SIGKILL, this also ends the processes that would still write.
        await end('SIGQUIT');
        await promisify(execFile)('cp', ['-a', data, copy]);
        await start();
        return copy;
      }),
    replace: (copy, by) =>
      inTurn(async () => {
        await end('SIGQUIT');
        await fs.rm(data, { recursive: true });
        await fs.rename(copy, data);
        const { uid, gid } = await fs.stat(data);
        for (const name of by === 'files'
          ? []
          : [by === 'promotion' ? 'standby.signal' : 'recovery.signal']) {
          await fs.writeFile(path.join(data, name), '');
          await fs.chown(path.join(data, name), uid, gid);
        }
        await start();
        if (by !== 'files') await beWritable(url, by === 'promotion');
      }),
    stop: () => postgres.stop(),
  };
  return database;
}

async function beWritable(url: string, needsPromotion: boolean): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    if (needsPromotion) await admin.query('select pg_promote()');
    for (;;) {
      const { rows } = await admin.query('select pg_is_in_recovery() as "isReadOnly"');
      if (!rows[0].isReadOnly) return;
      await sleep(50);
    }
  } finally {
    await admin.end();
  }
}

/** Somebody's outgoing connection may have taken the port for a moment. */
async function startAgain(options: Parameters<typeof startPostgres>[0]): Promise<Postgres> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startPostgres(options);
    } catch (error) {
      if (attempt === startAttempts) throw error;
      await sleep(500);
    }
  }
}
