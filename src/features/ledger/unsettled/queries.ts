import type { Db, Row } from '#platform/db/db';
import { uuidForm } from '#platform/http/schemas';
import type { LineFilter, LineType } from '../lines/line.ts';
import type { UnsettledStatus } from './states.ts';

/** A stored record, or one leg of it. */
export interface UnsettledRow {
  operationId: string;
  leg: number;
  uniqueHashId: string;
  type: LineType;
  transactionAt: Date;
  status: UnsettledStatus;
  statusReason: string | null;
  network: string;
  sentCurrency: string | null;
  sentAmount: bigint | null;
  receivedCurrency: string | null;
  receivedAmount: bigint | null;
  description: string;
  purpose: string;
  userDescription: string | null;
  executedAt: Date | null;
  updatedAt: Date;
  /** Those of the token as it was when the withdrawal was asked for. */
  decimals: number | null;
  isWithdrawal: boolean;
}

/** A withdrawal in flight has the rest in its own row, so that the two cannot disagree. */
const columns = `u.operation_id as "operationId", u.leg, u.unique_hash_id as "uniqueHashId", u.type,
  u.transaction_at as "transactionAt",
  coalesce(u.status, case when w.status = 'processing' then 'started' when w.status <> 'failed' then 'pending'
    when w.error_message like 'Canceled: %' then 'canceled' else 'rejected' end) as status,
  coalesce(u.status_reason, w.error_message) as "statusReason", coalesce(u.network, w.network) as network,
  coalesce(u.sent_currency, w.currency) as "sentCurrency", coalesce(u.sent_amount, w.amount) as "sentAmount",
  u.received_currency as "receivedCurrency", u.received_amount as "receivedAmount",
  coalesce(u.description, w.description, 'Withdrawal of ' || w.currency || ' on ' || w.network) as description,
  coalesce(u.purpose, 'withdrawal') as purpose, u.user_description as "userDescription", u.executed_at as "executedAt",
  coalesce(u.updated_at, w.updated_at) as "updatedAt", w.decimals, u.withdrawal_id is not null as "isWithdrawal"`;

/** A page and the exact number of records that its query can serve, of one moment. */
export async function selectUnsettledPage(
  db: Db,
  { userId, startAt, endAt }: Omit<LineFilter, 'types'>,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; records: UnsettledRow[] }> {
  const rows = await db.query<UnsettledRow & { total: bigint } & Row>(
    `select p.total, ${columns}
     from ledger_unsettled_page($1, $2::timestamptz, $3::timestamptz, $4::bigint, $5::bigint) p
     cross join lateral (select (p.record).*) u
     left join withdrawals w on w.id = u.withdrawal_id
     order by u.transaction_at desc, u.number desc`,
    [userId, startAt ?? null, endAt ?? null, offset, limit],
  );
  return {
    total: Number(rows[0]?.total ?? 0),
    records: rows.filter(({ operationId }) => operationId !== null),
  };
}

/** The legs of a user's unsettled records, in order. */
export async function selectUnsettledRecords(
  db: Db,
  userId: string,
  operationIds: readonly string[],
): Promise<UnsettledRow[]> {
  return db.query<UnsettledRow & Row>(
    `select ${columns} from ledger_unsettled u left join withdrawals w on w.id = u.withdrawal_id
     where u.list_id = (select id from ledger_lists where user_id = $1 and not is_settled) and u.operation_id = any($2::text[])
     order by u.operation_id, u.leg`,
    [userId, operationIds],
  );
}

/**
 * The record's legs in order, held by us until the end of the transaction; none if there is no such record.
 */
export async function lockUnsettled(db: Db, userId: string, operationId: string): Promise<UnsettledRow[]> {
  return db.query<UnsettledRow & Row>(
    `select ${columns} from ledger_unsettled u left join withdrawals w on w.id = u.withdrawal_id
     where u.list_id = (select id from ledger_lists where user_id = $1 and not is_settled) and u.operation_id = $2
     order by u.leg for update of u`,
    [userId, operationId],
  );
}

/** Locks what users' unsettled records are counted in; after their ledgers and accounts. */
export async function lockUnsettledLists(db: Db, userIds: readonly string[]): Promise<void> {
  await db.query('select ledger_lock_lists($1::uuid[], false)', [[...new Set(userIds)]]);
}

/**
 * The place of an operation that is among the unsettled ones of the user at the same place; undefined if none
 * is.
 */
export async function findUnsettled(
  db: Db,
  userIds: readonly string[],
  operationIds: readonly string[],
): Promise<number | undefined> {
  const [row] = await db.query<{ place: number }>(
    `select (o.place - 1)::integer as place from unnest($1::uuid[], $2::text[]) with ordinality as o (user_id, operation_id, place)
     join ledger_lists l on l.user_id = o.user_id and not l.is_settled
     join ledger_unsettled u on u.list_id = l.id and u.operation_id = o.operation_id order by o.place limit 1`,
    [userIds, operationIds],
  );
  return row?.place;
}

export async function isWithdrawal(db: Db, operationId: string): Promise<boolean> {
  if (!uuidForm.test(operationId.toLowerCase())) return false;
  const rows = await db.query('select 1 from withdrawals where id = $1', [operationId]);
  return rows.length > 0;
}

/** Whether a user's ledger has a line of this operation. */
export async function isInLedger(db: Db, userId: string, operationId: string): Promise<boolean> {
  const [row] = await db.query<{ is: boolean }>(
    `select exists (select from ledger_lists h join ledger_lines l on l.list_id = h.id
       where h.user_id = $1 and h.is_settled and l.operation_id = $2) as is`,
    [userId, operationId],
  );
  return row!.is;
}

export type NewUnsettled = Omit<UnsettledRow, 'uniqueHashId' | 'decimals' | 'isWithdrawal'>;

/** Adds the legs of a record to a user's list, which the caller has locked, and counts them. */
export async function insertUnsettled(db: Db, userId: string, legs: readonly NewUnsettled[]): Promise<void> {
  await db.query(
    `with list as (
       update ledger_lists set last_number = last_number + $2 where user_id = $1 and not is_settled returning id, last_number - $2 as number)
     insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, leg, status, status_reason, network,
       sent_currency, sent_amount, received_currency, received_amount, description, purpose, user_description, executed_at, updated_at)
     select list.id, list.number + r.leg, date_trunc('milliseconds', r.at), r.type, r.operation, r.leg, r.status, r.reason, r.network,
       r."sentCurrency", r."sentAmount", r."receivedCurrency", r."receivedAmount", r.description, r.purpose, r."userDescription",
       r."executedAt", r."updatedAt"
     from list, jsonb_to_recordset($3::jsonb) as r (leg smallint, at timestamptz, type ledger_line_type, operation text, status text,
       reason text, network text, "sentCurrency" text, "sentAmount" numeric, "receivedCurrency" text, "receivedAmount" numeric,
       description text, purpose text, "userDescription" text, "executedAt" timestamptz, "updatedAt" timestamptz)`,
    [
      userId,
      legs.length,
      JSON.stringify(
        legs.map(({ transactionAt, operationId, statusReason, sentAmount, receivedAmount, ...rest }) => ({
          ...rest,
          at: transactionAt,
          operation: operationId,
          reason: statusReason,
          sentAmount: sentAmount?.toString(),
          receivedAmount: receivedAmount?.toString(),
        })),
      ),
    ],
  );
  await db.query(
    `select ledger_count_unsettled(u.list_id, array_agg(u.type), array_agg(u.transaction_at), array_agg(u.number), 1)
     from ledger_unsettled u
     where u.list_id = (select id from ledger_lists where user_id = $1 and not is_settled) and u.operation_id = $2
     group by u.list_id`,
    [userId, legs[0]!.operationId],
  );
}

export async function updateUnsettledRows(
  db: Db,
  userId: string,
  operationId: string,
  change: Pick<UnsettledRow, 'status' | 'statusReason' | 'description' | 'userDescription' | 'updatedAt'>,
): Promise<void> {
  const { status, statusReason, description, userDescription, updatedAt } = change;
  await db.query(
    `update ledger_unsettled set status = $3, status_reason = $4, description = $5, user_description = $6, updated_at = $7
     where list_id = (select id from ledger_lists where user_id = $1 and not is_settled) and operation_id = $2`,
    [userId, operationId, status, statusReason, description, userDescription, updatedAt],
  );
}

/**
 * Takes a record out, which its user's ledger has now; the database refuses it where that is not so. Counted
 * once it is gone.
 */
export async function deleteUnsettled(db: Db, userId: string, operationId: string): Promise<void> {
  const legs = await db.query<{ listId: bigint; type: LineType; transactionAt: Date; number: bigint }>(
    `delete from ledger_unsettled
     where list_id = (select id from ledger_lists where user_id = $1 and not is_settled) and operation_id = $2
     returning list_id as "listId", type, transaction_at as "transactionAt", number`,
    [userId, operationId],
  );
  await db.query(
    'select ledger_count_unsettled($1, $2::ledger_line_type[], $3::timestamptz[], $4::bigint[], -1)',
    [
      legs[0]!.listId,
      legs.map(({ type }) => type),
      legs.map(({ transactionAt }) => transactionAt),
      legs.map(({ number }) => number),
    ],
  );
}
