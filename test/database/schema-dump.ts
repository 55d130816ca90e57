// Tables, indexes, constraints and triggers as one text, for review in diffs; functions and views have files.
// `npm run schema` writes database/schema.sql; schema.test.ts compares.
// The embedded PostgreSQL comes without pg_dump, and its text would change with every minor release.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '#platform/db/migrate';
import { startPostgres } from '../../src/sandbox/postgres/index.ts';

export const schemaFile = path.resolve(import.meta.dirname, '../../database/schema.sql');

export async function dumpSchema(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ text: string }>(dumpStatement);
    const head =
      '-- Tables, indexes, constraints and triggers after all migrations. Written by `npm run schema`; `doctor` compares indexes with it.';
    return [head, ...rows.map(({ text }) => text)].join('\n\n').concat('\n');
  } finally {
    await client.end();
  }
}

const dumpStatement = `
  with relations as (
    select c.oid, c.relname, c.relkind, c.relpersistence, c.reloptions from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') and c.relname not like 'schema_%'
  ), tables as (
    select * from relations where relkind = 'r'
  ), parts as (
    select 1 as section, relname as name, format(E'create%s table %s (\\n%s\\n)%s;',
      case relpersistence when 'u' then ' unlogged' else '' end, relname,
      (select string_agg(line, E',\\n' order by rank, place) from (
        select 1 as rank, a.attnum::integer as place, format('  %s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
          coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''), case when a.attnotnull then ' not null' else '' end) as line
        from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        union all
        select 2, row_number() over (order by contype desc, conname)::integer, format('  constraint %s %s', conname, pg_get_constraintdef(oid))
        from pg_constraint where conrelid = t.oid and contype <> 'n') lines),
      coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '')) as text
    from tables t
    union all
    select 2, i.relname, pg_get_indexdef(i.oid) || ';'
    from pg_index x join pg_class i on i.oid = x.indexrelid
    where x.indrelid in (select oid from tables)
      and not exists (select from pg_constraint k where k.conindid = i.oid and k.conrelid = x.indrelid)
    union all
    select 0, t.typname, format('create type %s as enum (%s);', t.typname,
      (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid))
    from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype = 'e'
    union all
    select 4, g.tgname, pg_get_triggerdef(g.oid) || ';' from pg_trigger g
    where not g.tgisinternal and g.tgrelid in (select oid from relations)
  )
  select text from parts order by section, name, text`;

if (process.argv.includes('--write')) {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-schema-'));
  const postgres = await startPostgres({ folder, durable: false });
  try {
    await migrate(postgres.url());
    writeFileSync(schemaFile, await dumpSchema(postgres.url()));
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
