import type { TestContext } from 'node:test';
import pg from 'pg';

export interface RowLock {
  pid: number;
  release(): Promise<void>;
}

/** Another session that holds the locks of `statement` until it is released or the test ends. */
export async function lockRows(
  t: TestContext,
  databaseUrl: string,
  statement: string,
  values: unknown[] = [],
): Promise<RowLock> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'forgotten-session' });
  await client.connect();
  client.on('error', () => undefined);
  t.after(() => client.end());
  await client.query('begin');
  const { rowCount } = await client.query(statement, values);
  if (rowCount === 0) throw new Error('there is nothing to lock');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    pid: rows[0]!.pid,
    release: async () => {
      await client.query('rollback');
    },
  };
}
