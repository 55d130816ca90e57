import type { Db } from '#platform/db/db';

/** Reveals of one user come one after another from here to the end of the transaction. */
export async function lockReveals(db: Db, userId: string): Promise<void> {
  await db.query('select from users where id = $1 for no key update', [userId]);
}

/** The newest ones after an instant, newest first. */
export async function selectReveals(
  db: Db,
  { userId, after, limit }: { userId: string; after: Date; limit: number },
): Promise<Date[]> {
  const rows = await db.query<{ revealedAt: Date }>(
    `select revealed_at as "revealedAt" from card_reveals where user_id = $1 and revealed_at > $2
     order by revealed_at desc limit $3`,
    [userId, after, limit],
  );
  return rows.map(({ revealedAt }) => revealedAt);
}

export async function insertReveal(
  db: Db,
  { userId, cardId, keyId, now }: { userId: string; cardId: string; keyId: string; now: Date },
): Promise<bigint> {
  const [row] = await db.query<{ id: bigint }>(
    'insert into card_reveals (user_id, card_id, key_id, revealed_at) values ($1, $2, $3, $4) returning id',
    [userId, cardId, keyId, now],
  );
  return row!.id;
}

/** Of the oldest `limit` rows, those from before an instant. Ids follow time, so no other index is needed. */
export async function deleteOldReveals(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from card_reveals where id = any (array(select id from card_reveals order by id limit $2))
       and revealed_at < $1 returning 1`,
    [before, limit],
  );
  return rows.length;
}

/** Where nothing was revealed. */
export async function deleteReveal(db: Db, revealId: bigint): Promise<void> {
  await db.query('delete from card_reveals where id = $1', [revealId]);
}
