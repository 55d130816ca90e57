import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** One function, trigger function, aggregate or view: `database/functions/<feature>/<name>.sql`. */
export interface FunctionFile {
  /** `<feature>/<name>.sql` */
  name: string;
  sql: string;
  sha256: string;
}

const folder = new URL('../../../database/functions/', import.meta.url);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export function readFunctions(): FunctionFile[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sql'),
  );
  return names.sort().map((name) => {
    const sql = readFileSync(new URL(name, folder), 'utf8');
    return { name: name.replaceAll('\\', '/'), sql, sha256: sha256(sql) };
  });
}

/** One digest for all of them. */
export const digestOf = (files: readonly FunctionFile[]): string =>
  sha256(files.map(({ name, sha256 }) => `${name} ${sha256}\n`).join(''));

/** The functions that this code was written for. */
export const knownDigest = digestOf(readFunctions());

/**
 * Which files to write: `forward`, those whose text changed, but never over the functions of a later release;
 * `own`, those whose text changed, even over a later release; `all`, every file, such as over a manual
 * change.
 */
export type FunctionChoice = 'forward' | 'own' | 'all';

export interface AppliedFunctions {
  /** The names of the files that were written. */
  functions: string[];
  /** Nothing was written, because the functions are those of a later release. */
  hasLaterFunctions: boolean;
}

/** Brings the database's functions to `files`, in one transaction. */
export async function applyFunctions(
  client: pg.Client,
  files: readonly FunctionFile[],
  { lockMs, choice }: { lockMs: number; choice: FunctionChoice },
): Promise<AppliedFunctions> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${lockMs}`);
    await client.query(
      `create table if not exists schema_functions (
         name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
    );
    await client.query(
      `create table if not exists schema_function_sets (
         digest text primary key, applied_at timestamptz not null default clock_timestamp())`,
    );
    const { rows } = await client.query<{ name: string; sha256: string }>(
      'select name, sha256 from schema_functions',
    );
    const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
    const { rows: sets } = await client.query<{ digest: string }>(
      'select digest from schema_function_sets order by applied_at desc',
    );
    const isOlder = sets.findIndex(({ digest }) => digest === digestOf(files)) > 0;
    if (isOlder && choice === 'forward') {
      await client.query('rollback');
      return { functions: [], hasLaterFunctions: true };
    }
    const changed = files.filter(({ name, sha256 }) => choice === 'all' || applied.get(name) !== sha256);
    await writeFunctions(client, changed);
    await client.query(
      `insert into schema_functions (name, sha256)
       select name, sha256 from unnest($1::text[], $2::text[]) as file (name, sha256)
       on conflict (name) do update set sha256 = excluded.sha256, applied_at = now()`,
      [changed.map(({ name }) => name), changed.map(({ sha256 }) => sha256)],
    );
    await client.query('delete from schema_functions where name <> all ($1::text[])', [
      files.map(({ name }) => name),
    ]);
    await client.query(
      'insert into schema_function_sets (digest) values ($1) on conflict (digest) do update set applied_at = clock_timestamp()',
      [digestOf(files)],
    );
    await client.query('commit');
    return { functions: changed.map(({ name }) => name), hasLaterFunctions: false };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * In order of their names. PostgreSQL checks a body when it is called, but a default, a view or an aggregate
 * at once: a file that needs another is retried after the others.
 */
export async function writeFunctions(client: pg.Client, files: readonly FunctionFile[]): Promise<void> {
  await client.query('set local check_function_bodies = off');
  for (let left = files; left.length > 0; ) {
    const waiting: FunctionFile[] = [];
    for (const file of left) {
      const error = await write(client, file);
      if (error && !isMissing(error)) throw error;
      if (error) waiting.push(file);
      if (error && waiting.length === left.length) throw error;
    }
    left = waiting;
  }
}

async function write(client: pg.Client, { name, sql }: FunctionFile): Promise<Error | undefined> {
  try {
    await client.query(`savepoint file;\n${sql}`);
    return undefined;
  } catch (error) {
    await client.query('rollback to savepoint file');
    return Object.assign(error as Error, { message: `${name}: ${(error as Error).message}` });
  }
}

/** An undefined function or view. */
const isMissing = (error: Error) => ['42883', '42P01'].includes((error as { code?: string }).code ?? '');
