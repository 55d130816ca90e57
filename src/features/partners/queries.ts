import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';

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

export interface PartnerRow {
  id: string;
  name: string;
  createdAt: Date;
  suspendedAt: Date | null;
  suspendedReason: string | null;
}

const columns = `id, name, created_at as "createdAt", suspended_at as "suspendedAt", suspended_reason as "suspendedReason"`;

/** In order of id, which is the order in which they were made. */
export async function selectPartners(
  db: Db,
  { after, limit }: { after?: string; limit: number },
): Promise<PartnerRow[]> {
  return db.query<PartnerRow & Row>(
    `select ${columns} from partners
     where not is_house and ($1::uuid is null or id > $1)
     order by id limit $2`,
    [after ?? null, limit],
  );
}

/** Never the house, which cannot be suspended. */
export async function selectPartnerForUpdate(db: Db, partnerId: string): Promise<PartnerRow | undefined> {
  const [row] = await db.query<PartnerRow & Row>(
    `select ${columns} from partners where id = $1 and not is_house for no key update`,
    [partnerId],
  );
  return row;
}

export async function updatePartnerSuspension(
  db: Db,
  { id, suspendedAt, suspendedReason }: PartnerRow,
): Promise<void> {
  await db.query('update partners set suspended_at = $2, suspended_reason = $3 where id = $1', [
    id,
    suspendedAt,
    suspendedReason,
  ]);
}

/**
 * Whether there is a partner with this id. The house does not count: it never has keys or lists.
 * @example
 * if (!(await partnerExists(ctx.db, partnerId))) throw partnerErrors.partnerNotFound();
 */
export async function partnerExists(db: Db, partnerId: string): Promise<boolean> {
  return (await db.query('select 1 from partners where id = $1 and not is_house', [partnerId])).length > 0;
}

/**
 * Changes of one pair happen one after another: each writes two tables, and at the same time two could leave
 * the user both on the list and off it.
 */
export async function lockPair(db: Db, partnerId: string, userId: string): Promise<void> {
  await db.query(
    `select pg_advisory_xact_lock(hashtextextended('partner user ' || $1::uuid || $2::uuid, 0))`,
    [partnerId, userId],
  );
}

/** Puts a user on the list. False if nothing changed. */
export async function insertAllowedUser(
  db: Db,
  partnerId: string,
  userId: string,
  allowedAt: Date,
): Promise<boolean> {
  const rows = await db.query(
    `with restored as (
       delete from partner_users_removed where partner_id = $1 and user_id = $2 returning 1),
     added as (
       insert into partner_users (partner_id, user_id, allowed_at) values ($1, $2, $3)
       on conflict do nothing returning 1)
     select from restored union all select from added`,
    [partnerId, userId, allowedAt],
  );
  return rows.length > 0;
}

/** Takes a user off the list, which stops the partner's keys of that user. False if it was done before. */
export async function deleteAllowedUser(
  db: Db,
  partnerId: string,
  userId: string,
  removedAt: Date,
): Promise<boolean> {
  const rows = await db.query(
    `with removed as (delete from partner_users where partner_id = $1 and user_id = $2)
     insert into partner_users_removed (partner_id, user_id, removed_at) values ($1, $2, $3)
     on conflict do nothing returning 1`,
    [partnerId, userId, removedAt],
  );
  return rows.length > 0;
}

/** Whether the user is on the partner's list. */
export async function isAllowedUser(db: Db, partnerId: string, userId: string): Promise<boolean> {
  const rows = await db.query('select 1 from partner_users where partner_id = $1 and user_id = $2', [
    partnerId,
    userId,
  ]);
  return rows.length > 0;
}

/**
 * Whether the user exists and whether the partner may act for them, in one query. For a suspended user
 * nobody may act.
 */
export const selectUserAccess = (db: Db, partnerId: string, userId: string): Promise<UserAccess> =>
  selectAccess(db, { partnerId, userId });

export type UserAccess = 'unknown' | 'refused' | 'allowed';

/** SQL of a `UserAccess`: of the partner, for a user `u` of a left join. */
export const accessTo = (partnerId: string) => `case when u.id is null then 'unknown'
         when u.suspended_at is null and exists (select from partner_users where partner_id = ${partnerId} and user_id = u.id)
         then 'allowed' else 'refused' end`;

/** The arrays are in subselects: if the planner sees their length, it makes a new plan for each call. */
const selectAccess = batchLoader(
  async (db: Db, asked: { partnerId: string; userId: string }[]): Promise<UserAccess[]> => {
    const rows = await db.query<{ access: UserAccess }>(
      `select ${accessTo('g.partner_id')} as access
       from unnest((select $1::uuid[]), (select $2::uuid[])) with ordinality as g (partner_id, user_id, place)
       left join users u on u.id = g.user_id order by g.place`,
      [asked.map(({ partnerId }) => partnerId), asked.map(({ userId }) => userId)],
    );
    return rows.map(({ access }) => access);
  },
);

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
