import type { Db } from '#platform/db/db';

/** Lists with counting nodes whose kinds of lines are not written yet, those that wait longest first. */
export async function selectKindsQueue(db: Db, limit: number): Promise<bigint[]> {
  const rows = await db.query<{ listId: bigint }>(
    'select list_id as "listId" from ledger_kinds_queue order by queued_at, list_id limit $1',
    [limit],
  );
  return rows.map(({ listId }) => listId);
}

/** Writes at most this many and returns how many it wrote; see `ledger_kinds_fill`. */
export async function fillKinds(db: Db, listId: bigint, most: number): Promise<number> {
  const [row] = await db.query<{ written: number }>('select ledger_kinds_fill($1, $2) as written', [
    listId,
    most,
  ]);
  return row!.written;
}
