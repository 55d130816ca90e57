import type { Db } from '#platform/db/db';

export async function insertPartner(
  db: Db,
  partner: { id?: string; name: string; createdAt: Date },
): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    'insert into partners (id, name, created_at) values (coalesce($1, uuidv7()), $2, $3) returning id',
    [partner.id ?? null, partner.name, partner.createdAt],
  );
  return row!.id;
}

/** In order of id, which is the order in which they were made. */
export async function selectPartners(
  db: Db,
  { after, limit }: { after?: string; limit: number },
): Promise<{ id: string; name: string; createdAt: Date }[]> {
  return db.query<{ id: string; name: string; createdAt: Date }>(
    `select id, name, created_at as "createdAt" from partners
     where not is_house and ($1::uuid is null or id > $1)
     order by id limit $2`,
    [after ?? null, limit],
  );
}

/** The house never has keys or lists. */
export async function partnerExists(db: Db, partnerId: string): Promise<boolean> {
  return (await db.query('select 1 from partners where id = $1 and not is_house', [partnerId])).length > 0;
}

/** False if the user was on the list already. */
export async function insertAllowedUser(
  db: Db,
  partnerId: string,
  userId: string,
  allowedAt: Date,
): Promise<boolean> {
  const rows = await db.query(
    `insert into partner_users (partner_id, user_id, allowed_at) values ($1, $2, $3)
     on conflict do nothing returning 1`,
    [partnerId, userId, allowedAt],
  );
  return rows.length > 0;
}

/** False if the user was not on the list. */
export async function deleteAllowedUser(db: Db, partnerId: string, userId: string): Promise<boolean> {
  const rows = await db.query(
    'delete from partner_users where partner_id = $1 and user_id = $2 returning 1',
    [partnerId, userId],
  );
  return rows.length > 0;
}

/** Whether the user exists and whether the partner may act for them, in one query. */
export async function selectUserAccess(
  db: Db,
  partnerId: string,
  userId: string,
): Promise<'unknown' | 'refused' | 'allowed'> {
  const [row] = await db.query<{ isAllowed: boolean }>(
    `select exists (select from partner_users where partner_id = $1 and user_id = u.id) as "isAllowed"
     from users u where u.id = $2`,
    [partnerId, userId],
  );
  if (!row) return 'unknown';
  return row.isAllowed ? 'allowed' : 'refused';
}

export async function selectAllowedUsers(
  db: Db,
  { partnerId, after, limit }: { partnerId: string; after?: string; limit: number },
): Promise<{ userId: string; allowedAt: Date }[]> {
  return db.query<{ userId: string; allowedAt: Date }>(
    `select user_id as "userId", allowed_at as "allowedAt" from partner_users
     where partner_id = $1 and ($2::uuid is null or user_id > $2)
     order by user_id limit $3`,
    [partnerId, after ?? null, limit],
  );
}
