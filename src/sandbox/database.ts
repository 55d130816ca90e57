import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '#platform/observe/log';
import { type Postgres, startPostgres } from './postgres/index.ts';

export interface SandboxDatabase {
  url: string;
  stop(): Promise<void>;
}

const restartsMax = 5;
const databaseName = 'causeway';

/**
 * The embedded server, restarted on the same port if it stops, so that the service recovers as in production.
 */
export async function startDatabase(home: string, log: Log, onSpawn?: () => void): Promise<SandboxDatabase> {
  let server = await startPostgres({ folder: home, durable: true, onSpawn });
  await makeDatabase(server);
  const url = server.url(databaseName);
  let isStopping = false;
  let restarting: Promise<void> = Promise.resolve();

  const watch = ({ exited, port }: Postgres) => {
    void exited.then(() => {
      if (!isStopping) restarting = restart(port);
    });
  };
  const restart = async (port: number) => {
    for (let attempt = 1; attempt <= restartsMax && !isStopping; attempt++) {
      log.error({ attempt }, 'the embedded PostgreSQL stopped; restarting it');
      await sleep(1_000);
      try {
        server = await startPostgres({ folder: home, durable: true, port });
        return watch(server);
      } catch (err) {
        log.error({ err }, 'the embedded PostgreSQL did not start');
      }
    }
  };
  watch(server);

  return {
    url,
    async stop() {
      isStopping = true;
      await restarting;
      await server.stop();
    },
  };
}

async function makeDatabase(server: Postgres): Promise<void> {
  const client = new pg.Client({ connectionString: server.url(), connectionTimeoutMillis: 60_000 });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [databaseName]);
    if (rowCount === 0) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end();
  }
}
