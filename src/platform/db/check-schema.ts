import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { writeFunctions } from './apply-functions.ts';
import { connectToWritable } from './find-writable.ts';
import type { Release } from './migrate.ts';

/**
 * Lists how a database differs from a release, one sentence each: migrations that were not applied, else
 * functions, views and triggers. It writes the function files in a transaction, compares PostgreSQL's
 * definitions before and after, and rolls back. A function that no file defines, such as an old signature, is
 * reported as having no file.
 */
export async function findDrift(databaseUrl: string, { migrations, functions }: Release): Promise<string[]> {
  const client = await connectToWritable(databaseUrl);
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
    const isWritten = (one: string) => {
      const { row } = meant.get(one)!;
      return names.has(one.slice(0, one.indexOf('('))) && (row === null || row !== live.get(one)!.row);
    };
    return [
      ...[...meant.keys()].filter((one) => !live.has(one)).map((one) => `${one} is missing.`),
      ...[...meant]
        .filter(([one, { text }]) => live.has(one) && live.get(one)!.text !== text)
        .map(([one]) => `${one} is not what its file says.`),
      ...[...live.keys()].filter((one) => !isWritten(one)).map((one) => `${one} has no file.`),
      ...findTriggerDrift(await readTriggers(client)),
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

interface Definition {
  text: string;
  /** The version of its row, which each write changes; null for a view. */
  row: string | null;
}

/**
 * PostgreSQL's definition of each function, aggregate and view that belongs to no extension, by name and
 * arguments.
 */
async function readDefinitions(client: pg.Client): Promise<Map<string, Definition>> {
  const { rows } = await client.query<Definition & { name: string }>(`
    select format('%s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) as name,
      case p.prokind when 'a' then a.aggtransfn::text else pg_get_functiondef(p.oid) end as text, p.ctid::text as row
    from pg_proc p left join pg_aggregate a on a.aggfnoid = p.oid
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select c.relname || '()', pg_get_viewdef(c.oid), null from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'v'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`);
  return new Map(rows.map(({ name, text, row }) => [name, { text, row }]));
}

interface Trigger {
  definition: string;
  isEnabled: boolean;
}

async function readTriggers(client: pg.Client): Promise<Trigger[]> {
  const { rows } = await client.query<Trigger>(`
    select pg_get_triggerdef(g.oid) as definition, g.tgenabled = 'O' as "isEnabled"
    from pg_trigger g join pg_class c on c.oid = g.tgrelid
    where not g.tgisinternal and c.relnamespace = 'public'::regnamespace`);
  return rows;
}

/** Most triggers are created by migrations, which are not run again: database/schema.sql lists them. */
function findTriggerDrift(triggers: readonly Trigger[]): string[] {
  const live = new Map(triggers.map((trigger) => [nameOf(trigger.definition), trigger]));
  const schema = readFileSync(new URL('../../../database/schema.sql', import.meta.url), 'utf8');
  const meant = new Map(
    schema
      .split('\n')
      .filter((line) => line.startsWith('CREATE TRIGGER ') || line.startsWith('CREATE CONSTRAINT TRIGGER '))
      .map((line) => [nameOf(line), line.slice(0, -1)]),
  );
  return [
    ...[...meant].flatMap(([name, definition]) => {
      const trigger = live.get(name);
      if (!trigger) return [`${name} is missing.`];
      if (trigger.definition !== definition) return [`${name} is not what database/schema.sql says.`];
      return trigger.isEnabled ? [] : [`${name} is disabled.`];
    }),
    ...[...live.keys()].filter((name) => !meant.has(name)).map((name) => `${name} has no file.`),
  ];
}

const nameOf = (definition: string) => {
  const after = (words: string) => definition.split(words)[1]!.split(' ')[0]!;
  return `Trigger ${after(' TRIGGER ')} on ${after(' ON ')}`;
};
