import type { TestContext } from 'node:test';
import pg from 'pg';
import { migrate, readMigrations } from '#platform/db/migrate';
import { cloneDatabase } from '#test/harness';
import { waitUntil } from '#test/wait-until';

/** A database as it was before a migration, for calls that run while it is applied. */
export async function databaseBefore(t: TestContext, subject: string) {
  const migrations = readMigrations();
  const at = migrations.findIndex(({ name }) => name.endsWith(`_${subject}.sql`));
  const databaseUrl = await cloneDatabase('template0');
  await migrate(databaseUrl, { release: { migrations: migrations.slice(0, at), functions: [] } });
  const clients: pg.Client[] = [];
  t.after(() => Promise.all(clients.map((client) => client.end())));
  const connect = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    clients.push(client);
    await client.connect();
    return client;
  };
  const observer = await connect();
  const query = async (text: string, values?: unknown[]) => (await observer.query(text, values)).rows;
  return {
    connect,
    query,
    /**
     * In one transaction, without the timeouts of `causeway migrate`: it waits as long as a test blocks it.
     */
    async apply(): Promise<void> {
      const client = await connect();
      const { version, name, sha256, sql } = migrations[at]!;
      const note = `insert into schema_migrations (version, name, sha256) values (${version}, '${name}', '${sha256}')`;
      await client.query(`begin; ${sql}; ${note}; commit`);
    },
    /** This migration and all later ones, and the functions, as `causeway migrate` applies them. */
    migrate: () => migrate(databaseUrl),
    untilWaiting: (count: number) =>
      waitUntil(`${count} wait for a lock`, async () => {
        const [row] = await query(
          `select count(*)::integer as count from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return row.count === count;
      }),
  };
}
