import type { Db } from './db.ts';

/** The rest of this transaction sees the database as it is now, however long it takes. */
export async function freezeView(db: Db): Promise<void> {
  await db.query('set transaction isolation level repeatable read, read only');
}
