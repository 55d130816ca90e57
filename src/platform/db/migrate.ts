import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import {
  type AppliedFunctions,
  applyFunctions,
  type FunctionChoice,
  type FunctionFile,
  knownDigest,
  readFunctions,
} from './apply-functions.ts';
import { applyMigration, type Migration, type Patience, untilUnlocked } from './apply-migration.ts';
import type { Db } from './db.ts';
import { connectToWritable } from './find-writable.ts';
import { MigrationFault } from './migration-fault.ts';

export { type Migration, MigrationFault };

const folder = new URL('../../../database/migrations/', import.meta.url);

export function readMigrations(): Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name));
  return names.sort().map((name) => {
    const sql = readFileSync(new URL(name, folder), 'utf8');
    return {
      version: Number(name.slice(0, 4)),
      name,
      sql,
      sha256: createHash('sha256').update(sql).digest('hex'),
    };
  });
}

/** The schema of a release. */
export interface Release {
  migrations: readonly Migration[];
  functions: readonly FunctionFile[];
}

/** What a call did. */
export interface Applied extends AppliedFunctions {
  /** The names of the files that were applied. */
  migrations: string[];
}

export const readRelease = (): Release => ({ migrations: readMigrations(), functions: readFunctions() });

/** The schema version that this code was written for. */
export const knownVersion = readMigrations().at(-1)?.version ?? 0;

/**
 * Requests for a locked table queue behind us, so we wait less than requests do (`DATABASE_LOCK_TIMEOUT_MS`)
 * and then let them pass before we retry.
 */
const usualPatience: Patience = { lockMs: 500, pauseMs: 1_000, giveUpMs: 120_000 };

/** How long we wait for another process that migrates. */
const othersMs = 600_000;

// One number for every Causeway process, so that they share one lock.
const lockKey = 4_711_204_018n;

export interface MigrateOptions {
  /** Default: this release. */
  release?: Release;
  patience?: Patience;
  functions?: FunctionChoice;
  /** Called with what is being done now. */
  onStep?(text: string): void;
}

/**
 * Brings the database to a release: its migrations, each in a separate transaction, then its functions in
 * one. Requests continue meanwhile. Any number of processes may call this at once: one holds the advisory
 * lock, the others wait and then find nothing to do.
 */
export async function migrate(
  databaseUrl: string,
  {
    release = readRelease(),
    patience = usualPatience,
    functions: choice = 'forward',
    onStep = () => {},
  }: MigrateOptions = {},
): Promise<Applied> {
  const { migrations, functions } = release;
  const client = await connectToWritable(databaseUrl);
  try {
    await requireServerVersion(client);
    await waitForOthers(client);
    await client.query(
      `create table if not exists schema_migrations (
         version integer primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now())`,
    );
    const { rows } = await client.query<{ version: number; name: string; sha256: string }>(
      'select version, name, sha256 from schema_migrations order by version',
    );
    const applied = new Map(rows.map((row) => [row.version, row]));
    requireNotNewer(rows.at(-1)?.version ?? 0, migrations.at(-1)?.version ?? 0);
    const names: string[] = [];
    for (const migration of migrations) {
      const before = applied.get(migration.version);
      if (before && before.sha256 !== migration.sha256) {
        throw new MigrationFault(
          `Migration ${migration.name} was changed after it was applied; write a new migration instead.`,
        );
      }
      if (before) continue;
      onStep(`Applying migration ${migration.name}`);
      await applyMigration(client, databaseUrl, migration, patience);
      names.push(migration.name);
    }
    onStep('Comparing SQL functions');
    const apply = () => applyFunctions(client, functions, { lockMs: patience.lockMs, choice });
    return {
      migrations: names,
      ...(await untilUnlocked(client, databaseUrl, 'The functions of this release', patience, apply)),
    };
  } finally {
    await client.end();
  }
}

/** Version 18 is the first with `uuidv7()`. */
async function requireServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  const version = rows[0]?.version ?? 'unknown';
  if (Number.parseInt(version, 10) < 18) {
    throw new MigrationFault(`Causeway needs PostgreSQL 18 or later; this server is ${version}.`);
  }
}

/**
 * Polls instead of waiting in one statement, because a concurrent index build waits for every statement to
 * end.
 */
async function waitForOthers(client: pg.Client): Promise<void> {
  const until = performance.now() + othersMs;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      lockKey,
    ]);
    if (rows[0]!.taken) return;
    if (performance.now() > until) {
      throw new MigrationFault(
        'Another `causeway migrate` has been running for ten minutes: wait for it or end it, then run `causeway migrate` again.',
      );
    }
    await sleep(100);
  }
}

/** What a database has of the schema. */
export interface Schema {
  /** 0 for a database without one. */
  version: number;
  /** Whether this release's functions were applied; a later release may have replaced some since. */
  hasFunctions: boolean;
}

export async function readSchema(db: Db): Promise<Schema> {
  const [present] = await db.query<{ migrations: boolean; functions: boolean }>(
    `select to_regclass('schema_migrations') is not null as migrations,
       to_regclass('schema_function_sets') is not null as functions`,
  );
  if (!present!.migrations) return { version: 0, hasFunctions: false };
  const [row] = await db.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from schema_migrations',
  );
  const sets = present!.functions
    ? await db.query('select from schema_function_sets where digest = $1', [knownDigest])
    : [];
  return { version: row!.version, hasFunctions: sets.length > 0 };
}

/**
 * Why this release cannot work with a schema yet. A newer schema is a deploy in progress: its functions still
 * serve this release.
 */
export function faultInSchema({ version, hasFunctions }: Schema): string | undefined {
  if (version < knownVersion) return `at schema version ${version} and this release needs ${knownVersion}`;
  if (version === knownVersion && !hasFunctions) return 'without the functions of this release';
  return undefined;
}

/** Refuses to serve on a schema that is newer than this release knows or not migrated yet. */
export function requireKnownSchema(schema: Schema, setting = 'DATABASE_URL'): void {
  requireNotNewer(schema.version, knownVersion);
  const fault = faultInSchema(schema);
  if (!fault) return;
  const isOther = setting !== 'DATABASE_URL';
  const remedy = isOther ? `DATABASE_URL=<the value of ${setting}> causeway migrate` : 'causeway migrate';
  throw new MigrationFault(
    `The database${isOther ? ` at ${setting}` : ''} is ${fault}: run \`${remedy}\` first.`,
  );
}

function requireNotNewer(version: number, known: number): void {
  if (version > known) {
    throw new MigrationFault(
      `The database is at schema version ${version}, newer than ${known}, the newest that this release knows: start a newer release.`,
    );
  }
}
