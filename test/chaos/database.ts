import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../src/platform/migrate.ts';
import { type Postgres, startPostgres } from '../../src/sandbox/postgres/index.ts';

export interface CrashingDatabase {
  url: string;
  crashes: number;
  /** Ends the server with SIGKILL and starts it again, on the same data and port. */
  crash(awayMs: number): Promise<void>;
  stop(): Promise<void>;
}

const startAttempts = 10;

/**
 * A migrated database on a PostgreSQL of its own. What was committed survives a kill of the server, whose writes the operating
 * system has; to survive the loss of power, which does not happen here, it would also have to be flushed.
 */
export async function startCrashingDatabase(folder: string): Promise<CrashingDatabase> {
  const options = {
    folder,
    durable: false,
    // A kill may cut a page's write in two, so whole pages go to the log.
    settings: { synchronous_commit: 'on', full_page_writes: 'on' },
  };
  let postgres = await startPostgres(options);
  const admin = new pg.Client({ connectionString: postgres.url() });
  await admin.connect();
  await admin.query('create database chaos');
  await admin.end();
  const url = postgres.url('chaos');
  await migrate(url);
  const { port } = postgres;

  const database: CrashingDatabase = {
    url,
    crashes: 0,
    async crash(awayMs) {
      process.kill(postgres.pid, 'SIGKILL');
      await postgres.exited;
      await sleep(awayMs);
      postgres = await startAgain({ ...options, port });
      database.crashes += 1;
    },
    stop: () => postgres.stop(),
  };
  return database;
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
