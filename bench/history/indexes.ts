import type { Db } from '#platform/db/db';

export interface Indexes {
  constraints: { table: string; name: string; definition: string }[];
  indexes: { name: string; definition: string }[];
}

/** Indexes are made faster than kept. Returns what was dropped; foreign keys lean on none of them. */
export async function dropIndexes(db: Db, tables: readonly string[]): Promise<Indexes> {
  const constraints = await db.query<Indexes['constraints'][number] & Record<string, unknown>>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where conrelid = any ($1::text[]::regclass[]) and contype in ('p', 'u')`,
    [tables],
  );
  for (const { table, name } of constraints) await db.query(`alter table ${table} drop constraint ${name}`);
  const indexes = await db.query<Indexes['indexes'][number] & Record<string, unknown>>(
    'select indexname as name, indexdef as definition from pg_indexes where tablename = any ($1)',
    [tables],
  );
  for (const { name } of indexes) await db.query(`drop index ${name}`);
  return { constraints, indexes };
}

export async function makeIndexes(db: Db, { constraints, indexes }: Indexes): Promise<void> {
  for (const { table, name, definition } of constraints) {
    await db.query(`alter table ${table} add constraint ${name} ${definition}`);
  }
  for (const { definition } of indexes) await db.query(definition);
}
