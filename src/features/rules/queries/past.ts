import type { Db } from '#platform/db/db';

/** A tenth of a second or two; creations go on meanwhile. */
const pageSize = 1_000;

/**
 * Fills the counters of selections that a set brings with the payments of the last 30 days. What is created
 * meanwhile, and what fails, is left to `countRest`.
 */
export async function countPast(db: Db, revision: number, selections: readonly string[]): Promise<void> {
  await db.query('create temporary table rules_examined (id uuid primary key) on commit drop');
  await db.query(
    `create temporary table rules_counted (withdrawal_id uuid, counter_id bigint, at timestamptz, amount numeric(78, 0))
     on commit drop`,
  );
  await db.query('create index on rules_counted (withdrawal_id)');
  await deleteCounters(db, selections);
  const [bounds] = await db.query<{ first: string; last: string }>(
    `select uuidv7(interval '-31 days') as first, uuidv7() as last`,
  );
  const { last } = bounds!;
  // First, so that they are counted at their own instants: those of a counter only grow.
  await countPages(db, revision, selections, await selectOldOpen(db));
  for (let after: string | undefined = bounds!.first; after; ) {
    const page: { id: string; isRecent: boolean }[] = await db.query(
      `select id, created_at > now() - interval '30 days' as "isRecent" from withdrawals
       where id > $1 and id <= $2 order by id limit $3`,
      [after, last, pageSize],
    );
    const ids = page.filter(({ isRecent }) => isRecent).map(({ id }) => id);
    await countPages(db, revision, selections, ids);
    after = page.at(-1)?.id;
  }
  await db.query('analyze rules_examined, rules_counted');
}

/** The caller holds the lock of `lockRules`, after `countPast` of the same transaction. */
export async function countRest(db: Db, revision: number, selections: readonly string[]): Promise<void> {
  await db.query('select rules_count_rest($1, $2::text[])', [revision, selections]);
  await db.query('drop table rules_examined, rules_counted');
}

async function countPages(
  db: Db,
  revision: number,
  selections: readonly string[],
  ids: readonly string[],
): Promise<void> {
  for (let from = 0; from < ids.length; from += pageSize) {
    const page = ids.slice(from, from + pageSize);
    await db.query('select rules_count_page($1, $2::text[], $3::uuid[])', [revision, selections, page]);
  }
}

/** Payments that wait for longer than any window. */
async function selectOldOpen(db: Db): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from withdrawals where status in ('queued', 'pending', 'processing')
       and (id <= uuidv7(interval '-31 days') or created_at <= now() - interval '30 days') order by created_at, id`,
  );
  return rows.map(({ id }) => id);
}

/** Of an earlier set with the same selections. */
async function deleteCounters(db: Db, selections: readonly string[]): Promise<void> {
  await db.query(
    `with gone as (delete from rule_counters where selection = any($1::text[]) returning id),
     spends as (delete from rule_spends s using gone where s.counter_id = gone.id)
     delete from rule_returns r using gone where r.counter_id = gone.id`,
    [selections],
  );
}
