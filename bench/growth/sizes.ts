import type { Db, Pool } from '#platform/db/db';

export interface TableSize {
  rows: number;
  /** With indexes and TOAST, after `vacuum full`. */
  bytes: number;
}

/** Every table, rewritten without dead rows: what jobs and updates left behind is not counted. */
export async function measureTables(db: Pool): Promise<Map<string, TableSize>> {
  const sizes = new Map<string, TableSize>();
  for (const name of await selectTables(db)) {
    await db.query(`vacuum (full, analyze) ${name}`);
    const [row] = await db.query<{ rows: number; bytes: number }>(
      `select (select count(*)::integer from ${name}) as rows, pg_total_relation_size('${name}')::float8 as bytes`,
    );
    sizes.set(name, row!);
  }
  return sizes;
}

/** The size of all tables as they are, with dead rows. */
export async function measureTotal(db: Db): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return row!.bytes;
}

export async function selectTables(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  );
  return rows.map(({ name }) => name);
}
