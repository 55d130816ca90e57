import type { Db, Row } from '#platform/db/db';
import type { Status } from '../states.ts';

export interface BulkRow {
  userId: string;
  keyId: string;
  status: Status;
  currency: string;
  network: string;
  decimals: number;
  count: number;
  needApproval: number;
  amount: bigint;
  createdAt: Date;
  updatedAt: Date;
}

/** Those of one request, at most a thousand, counted by status and asset. */
export async function selectBulk(db: Db, partnerId: string, bulkId: string): Promise<BulkRow[]> {
  return db.query<BulkRow & Row>(
    `select w.user_id as "userId", w.key_id as "keyId", w.status, w.currency, w.network, w.decimals, count(*)::integer as count,
       (count(*) filter (where w.waiting_for = 'approval'))::integer as "needApproval", sum(w.amount) as amount,
       min(w.created_at) as "createdAt", max(w.updated_at) as "updatedAt"
     from withdrawals w where w.bulk_id = $2 and w.partner_id = $1
     group by w.user_id, w.key_id, w.status, w.currency, w.network, w.decimals
     order by w.currency, w.network`,
    [partnerId, bulkId],
  );
}

/** The name of the key or the person that asked; null for one that is gone. */
export async function selectRequesterName(
  db: Db,
  partnerId: string,
  requester: { keyId: string; personId: string | null },
): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(
    `select k.name from api_keys k where k.id = $2 and k.partner_id = $1
     union all select p.name from people p where p.id = $3 and p.partner_id = $1 limit 1`,
    [partnerId, requester.keyId, requester.personId],
  );
  return row?.name ?? null;
}

/** How many are open, up to `limit`. They are found in the queue of all partners. */
export async function countOpen(
  db: Db,
  partnerId: string,
  limit: number,
): Promise<{ waiting: number; needApproval: number }> {
  const [row] = await db.query<{ waiting: number; needApproval: number }>(
    `select count(*)::integer as waiting, (count(*) filter (where waiting_for = 'approval'))::integer as "needApproval"
     from (select w.waiting_for from withdrawals w
       where w.status in ('queued', 'pending', 'processing') and w.partner_id = $1 limit $2) open`,
    [partnerId, limit],
  );
  return row!;
}

export interface EndedRow {
  status: Status;
  currency: string;
  network: string;
  decimals: number;
  count: number;
  amount: bigint;
}

/** Those that ended since an instant, up to `limit`, of those with at least this id. */
export async function sumEnded(
  db: Db,
  partnerId: string,
  { since, fromId, limit }: { since: Date; fromId: string; limit: number },
): Promise<EndedRow[]> {
  return db.query<EndedRow & Row>(
    `select e.status, e.currency, e.network, e.decimals, count(*)::integer as count, sum(e.amount) as amount
     from (select w.* from withdrawals w where w.status in ('completed', 'failed') and w.partner_id = $1 and w.id >= $3
         and w.updated_at >= $2 order by w.id desc limit $4) e
     group by 1, 2, 3, 4 order by 2, 3`,
    [partnerId, since, fromId, limit],
  );
}
