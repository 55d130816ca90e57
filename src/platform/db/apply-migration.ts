import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type LockHolders, watchLockHolders } from './lock-holders.ts';
import { MigrationFault } from './migration-fault.ts';

export interface Migration {
  version: number;
  name: string;
  sql: string;
  sha256: string;
}

export interface Patience {
  /** Maximum wait of a migration for a lock; requests queue behind it. */
  lockMs: number;
  pauseMs: number;
  /** After this, a lock that is still held ends `migrate`. */
  giveUpMs: number;
}

export const applyMigration = (
  client: pg.Client,
  databaseUrl: string,
  migration: Migration,
  patience: Patience,
): Promise<void> =>
  untilUnlocked(client, databaseUrl, `Migration ${migration.name}`, patience, () =>
    /^-- Outside a transaction/m.test(migration.sql)
      ? buildIndex(client, migration, patience)
      : applyInTransaction(client, migration, patience),
  );

/** Retries while another session has a table locked; gives up with a message that names the session. */
export async function untilUnlocked<T>(
  client: pg.Client,
  databaseUrl: string,
  what: string,
  patience: Patience,
  apply: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + patience.giveUpMs;
  let holders: LockHolders | undefined;
  try {
    for (;;) {
      try {
        return await apply();
      } catch (error) {
        if (!isLockTimeout(error as Error)) throw failed(what, error as Error);
        if (performance.now() >= deadline) throw gaveUp(what, patience, holders, error as Error);
      }
      holders ??= await watchLockHolders(databaseUrl, await pidOf(client));
      await sleep(patience.pauseMs);
    }
  } finally {
    await holders?.stop();
  }
}

async function applyInTransaction(
  client: pg.Client,
  migration: Migration,
  { lockMs }: Patience,
): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${lockMs}`);
    await client.query(migration.sql);
    await note(client, migration);
    await client.query('commit');
  } catch (error) {
    // A lost connection cannot roll back; PostgreSQL does it automatically.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** A concurrent index build blocks nobody, so it may wait for others. It cannot be part of a transaction. */
async function buildIndex(client: pg.Client, migration: Migration, { giveUpMs }: Patience): Promise<void> {
  const name = /^create (?:unique )?index concurrently if not exists (\w{1,63}) /im.exec(migration.sql)?.[1];
  if (!name) throw new Error('outside a transaction stands one `create index concurrently if not exists`');
  await client.query(`set lock_timeout = ${giveUpMs}`);
  // A failed build leaves an invalid index that blocks the name.
  const { rows } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [name],
  );
  if (rows.length > 0) await client.query(`drop index concurrently ${name}`);
  await client.query(migration.sql);
  await note(client, migration);
}

async function note(client: pg.Client, { version, name, sha256 }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (version, name, sha256) values ($1, $2, $3)', [
    version,
    name,
    sha256,
  ]);
}

/** Also after a deadlock: the others continue, and we retry. */
const isLockTimeout = (error: Error) => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '');

async function pidOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}

const failed = (what: string, error: Error) =>
  new MigrationFault(`${what} failed: ${error.message}`, { cause: error });

function gaveUp(
  what: string,
  { giveUpMs }: Patience,
  holders: LockHolders | undefined,
  cause: Error,
): MigrationFault {
  const who = holders?.describe() ?? 'a session that is gone';
  return new MigrationFault(
    `${what} was not applied: for ${Math.round(giveUpMs / 1_000)} s a lock that it needs was held by ${who}. ` +
      'Nothing was changed. End that session, such as with `select pg_terminate_backend(<pid>)`, and run `causeway migrate` again.',
    { cause },
  );
}
