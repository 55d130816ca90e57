import type { Db, Row } from '#platform/db/db';

/** A row of a file as it was written. */
export interface FileRow {
  /** As a spreadsheet counts: the head is row 1. */
  row: number;
  to: string;
  amount: string;
  currency: string;
  network: string;
  externalId?: string;
}

export interface UploadRow {
  id: string;
  partnerId: string;
  userId: string;
  personId: string;
  items: FileRow[];
  createdAt: Date;
}

const columns = `id, partner_id as "partnerId", user_id as "userId", person_id as "personId", items, created_at as "createdAt"`;
const keptOfPartner = 20;

/** Stores a file, and deletes the partner's oldest beyond the bound. */
export async function insertUpload(db: Db, upload: Omit<UploadRow, 'id'>): Promise<UploadRow> {
  const [row] = await db.query<UploadRow & Row>(
    `with former as (
       delete from withdrawal_uploads where id = any (array(
         select id from withdrawal_uploads where partner_id = $1 order by id desc offset $6)))
     insert into withdrawal_uploads (partner_id, user_id, person_id, items, created_at) values ($1, $2, $3, $4, $5)
     returning ${columns}`,
    [
      upload.partnerId,
      upload.userId,
      upload.personId,
      JSON.stringify(upload.items),
      upload.createdAt,
      keptOfPartner - 1,
    ],
  );
  return row!;
}

export async function selectUpload(db: Db, partnerId: string, id: string): Promise<UploadRow | undefined> {
  const [row] = await db.query<UploadRow & Row>(
    `select ${columns} from withdrawal_uploads where id = $2 and partner_id = $1`,
    [partnerId, id],
  );
  return row;
}

export async function deleteUploads(db: Db, before: Date, limit: number): Promise<void> {
  await db.query(
    `delete from withdrawal_uploads where id = any (array(
       select id from withdrawal_uploads where created_at < $1 order by created_at limit $2))`,
    [before, limit],
  );
}

export interface PaidRow {
  key: string;
  bulkId: string;
  createdAt: Date;
}

/** What was created under these idempotency keys. */
export async function selectPaid(db: Db, partnerId: string, keys: readonly string[]): Promise<PaidRow[]> {
  return db.query<PaidRow & Row>(
    `select idempotency_key as key, bulk_id as "bulkId", created_at as "createdAt"
     from withdrawals where partner_id = $1 and idempotency_key = any ($2::text[])`,
    [partnerId, keys],
  );
}

/** How many of a bulk the rules let wait for approval. */
export async function countToApprove(db: Db, bulkId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from withdrawals w join rule_verdicts v on v.withdrawal_id = w.id and v.verdict = 'approve'
     where w.bulk_id = $1`,
    [bulkId],
  );
  return row!.count;
}

export interface SimilarRow {
  id: string;
  toAddress: string;
  amount: bigint;
  currency: string;
  network: string;
  createdAt: Date;
}

/** More would make the preview slow; the newest are read. */
const similarMax = 20_000;

/**
 * Payments of a partner for a user to these addresses, paid or under way, with at least this id; of equal
 * ones the newest. Both partial predicates are literal, so that the planner uses the indexes.
 */
export async function selectSimilar(
  db: Db,
  given: { partnerId: string; userId: string; addresses: readonly string[]; fromId: string },
): Promise<SimilarRow[]> {
  return db.query<SimilarRow & Row>(
    `with paid as (
       select w.id, w.to_address, w.amount, w.currency, w.network, w.created_at from withdrawals w
       where w.status in ('completed', 'failed') and w.status = 'completed' and w.to_address = any ($3::text[]) and w.id >= $4
         and w.partner_id = $1 and w.user_id = $2
       order by w.id desc limit $5
     ), open as (
       select w.id, w.to_address, w.amount, w.currency, w.network, w.created_at
       from withdrawal_lists l join withdrawals w on w.list_id = l.id
       where l.partner_id = $1 and l.user_id = $2 and w.status in ('queued', 'pending', 'processing')
         and w.to_address = any ($3::text[]) and w.id >= $4
       order by w.id desc limit $5
     )
     select distinct on (to_address, amount, currency, network) id, to_address as "toAddress", amount, currency, network,
       created_at as "createdAt"
     from (select * from paid union all select * from open) alike order by to_address, amount, currency, network, id desc`,
    [given.partnerId, given.userId, given.addresses, given.fromId, similarMax],
  );
}
