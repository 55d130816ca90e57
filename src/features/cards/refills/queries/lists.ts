import type { Db, Row } from '#platform/db/db';
import type { RefillStatus } from '../states.ts';
import { isCredited } from './refills.ts';

export interface RefillRow {
  id: string;
  cardIssuerUserId: string;
  userId: string;
  amount: bigint;
  network: string;
  currency: string;
  status: RefillStatus;
  retries: number;
  withdrawalId: string | null;
  transactionHash: string | null;
  executedAt: Date | null;
  error: string | null;
  dueAt: Date;
  createdAt: Date;
}

const refillColumns = `f.id, f.card_issuer_user_id as "cardIssuerUserId", f.user_id as "userId", f.amount, f.network, f.currency,
  f.status, f.retries, f.withdrawal_id as "withdrawalId", f.transaction_hash as "transactionHash",
  f.executed_at as "executedAt", f.error, f.due_at as "dueAt", f.created_at as "createdAt"`;

/** A page and the exact number, of one moment. */
export async function selectRefillPage(
  db: Db,
  { userId, offset, limit }: { userId: string; offset: number; limit: number },
): Promise<{ total: number; refills: RefillRow[] }> {
  const rows = await db.query<RefillRow & { total: bigint } & Row>(
    `select (select count(*) from card_refills where user_id = $1) as total, ${refillColumns}
     from (values (1)) as always
     left join lateral (
       select * from card_refills where user_id = $1 order by created_at desc, id desc offset $2::bigint limit $3::bigint
     ) f on true
     order by f.created_at desc, f.id desc`,
    [userId, offset, limit],
  );
  return {
    total: Number(rows[0]!.total),
    refills: rows.filter(({ id }) => id !== null).map(({ total, ...refill }) => refill),
  };
}

/** With the place of their id, from 1. */
export async function selectRecordedRefills(
  db: Db,
  ids: readonly string[],
): Promise<(RefillRow & { place: bigint })[]> {
  return db.query<RefillRow & { place: bigint } & Row>(
    `select k.place, ${refillColumns} from unnest($1::uuid[]) with ordinality as k (id, place)
     join card_refills f on f.id = k.id`,
    [ids],
  );
}

/** Oldest first. */
export async function selectAcrossUsers(
  db: Db,
  filter: { userId?: string; status?: RefillStatus; after?: string; limit: number },
): Promise<RefillRow[]> {
  return db.query<RefillRow & Row>(
    `select ${refillColumns} from card_refills f
     where ($1::uuid is null or f.user_id = $1) and ($2::card_refill_status is null or f.status = $2)
       and ($3::uuid is null or f.id > $3)
     order by f.id limit $4`,
    [filter.userId ?? null, filter.status ?? null, filter.after ?? null, filter.limit],
  );
}

/** Open refills by status: their number, and the age of the oldest. */
export async function selectOpen(
  db: Db,
): Promise<{ status: string; count: bigint; ageSeconds: number; unannounced: bigint }[]> {
  return db.query<{ status: string; count: bigint; ageSeconds: number; unannounced: bigint }>(
    `select f.status, count(*) as count,
       greatest(extract(epoch from now() - min(f.created_at)), 0)::double precision as "ageSeconds",
       count(*) filter (where f.status = 'processing' and w.status = 'completed') as unannounced
     from card_refills f left join withdrawals w on w.id = f.withdrawal_id
     where f.status in ('queued', 'processing') group by f.status`,
  );
}

/**
 * Accounts whose last refill is paid and overdue for a credit. Earlier ones were credited, or an operator
 * changed the rule.
 */
export async function countUncredited(db: Db, now: Date): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from card_refill_rules r cross join lateral (
       select f.* from card_refills f where f.card_issuer_user_id = r.card_issuer_user_id order by f.number desc limit 1) last
     where last.status = 'completed' and last.due_at <= $1 and not ${isCredited('last')}`,
    [now],
  );
  return row!.count;
}
