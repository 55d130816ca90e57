import pg from 'pg';
import { writeFunctions } from './apply-functions.ts';
import type { Release } from './migrate.ts';

/**
 * Where a database differs from a release, a sentence each: migrations that were not applied, else functions and views. It
 * writes the function files inside a transaction, compares what PostgreSQL then says of them with what it said before, and
 * rolls back.
 */
export async function findDrift(databaseUrl: string, { migrations, functions }: Release): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    await client.query('set local lock_timeout = 500');
    const applied = await readApplied(client);
    const missing = migrations.filter(({ version }) => !applied.has(version));
    if (missing.length > 0) return missing.map(({ name }) => `${name} is not applied.`);
    const live = await readDefinitions(client);
    await writeFunctions(client, functions);
    const meant = await readDefinitions(client);
    const names = new Set(functions.map(({ name }) => name.slice(name.lastIndexOf('/') + 1, -'.sql'.length)));
    return [
      ...[...meant].filter(([one]) => !live.has(one)).map(([one]) => `${one} is missing.`),
      ...[...meant]
        .filter(([one, text]) => live.has(one) && live.get(one) !== text)
        .map(([one]) => `${one} is not what its file says.`),
      ...[...live.keys()]
        .filter((one) => !names.has(one.slice(0, one.indexOf('('))))
        .map((one) => `${one} has no file.`),
    ].sort();
  } finally {
    await client.query('rollback').catch(() => undefined);
    await client.end();
  }
}

async function readApplied(client: pg.Client): Promise<Set<number>> {
  const { rows: tables } = await client.query("select to_regclass('schema_migrations') as name");
  if (tables[0].name === null) return new Set();
  const { rows } = await client.query<{ version: number }>('select version from schema_migrations');
  return new Set(rows.map(({ version }) => version));
}

/** By name and arguments: what PostgreSQL says of each function, aggregate and view that no extension brought. */
async function readDefinitions(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; text: string }>(`
    select format('%s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) as name,
      case p.prokind when 'a' then a.aggtransfn::text else pg_get_functiondef(p.oid) end as text
    from pg_proc p left join pg_aggregate a on a.aggfnoid = p.oid
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select c.relname || '()', pg_get_viewdef(c.oid) from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'v'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`);
  return new Map(rows.map(({ name, text }) => [name, text]));
}
