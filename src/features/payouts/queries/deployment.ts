import type { Db } from '#platform/db/db';

/** The deployment of this database, which is this one if there was none. */
export async function insertDeployment(db: Db, id: string, now: Date): Promise<string> {
  await db.query('insert into deployment (id, bound_at) values ($1, $2) on conflict do nothing', [id, now]);
  const [row] = await db.query<{ id: string }>('select id from deployment');
  return row!.id;
}

/** Says which it was before. */
export async function updateDeployment(db: Db, id: string, now: Date): Promise<string | null> {
  const [former] = await db.query<{ id: string }>('select id from deployment for update');
  await db.query(
    `insert into deployment (id, bound_at) values ($1, $2)
     on conflict (is_only) do update set id = excluded.id, bound_at = excluded.bound_at where deployment.id <> excluded.id`,
    [id, now],
  );
  return former?.id ?? null;
}

/** Empty: commits wait for no standby. */
export async function selectStandbyNames(db: Db): Promise<string> {
  const [row] = await db.query<{ names: string }>('select database_standbys() as names');
  return row!.names;
}

/** Of this connection: by the server, the database or the role. */
export async function selectSynchronousCommit(db: Db): Promise<string> {
  const [row] = await db.query<{ value: string }>(`select current_setting('synchronous_commit') as value`);
  return row!.value;
}

/** Settings without which a commit that was answered may be lost in a crash. */
export async function selectUnsafeSettings(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select name from pg_settings
     where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name`,
  );
  return rows.map(({ name }) => name);
}
