import type { Db, Row } from '#platform/db/db';
import { type Status, statuses } from '../states.ts';

export interface WithdrawalRow {
  id: string;
  bulkId: string;
  partnerId: string;
  userId: string;
  network: string;
  currency: string;
  decimals: number;
  amount: bigint;
  toAddress: string;
  recipientUserId: string | null;
  externalId: string | null;
  status: Status;
  transferStatus: string | null;
  transactionHash: string | null;
  errorMessage: string | null;
  waitingFor: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** With the request that made it, for operators. */
export interface TracedRow extends WithdrawalRow {
  /** For a withdrawal by a user's rule, the job that made it. */
  keyId: string;
  /** Null for a withdrawal by a user's rule, and for those from before migration 0034. */
  callerAddress: string | null;
  requestId: string | null;
}

export const columns = `w.id, w.bulk_id as "bulkId", w.partner_id as "partnerId", w.user_id as "userId", w.network, w.currency, w.decimals,
  w.amount, w.to_address as "toAddress", w.recipient_user_id as "recipientUserId", w.external_id as "externalId", w.status,
  w.transfer_status as "transferStatus", w.transaction_hash as "transactionHash", w.error_message as "errorMessage",
  w.waiting_for as "waitingFor", w.created_at as "createdAt", w.updated_at as "updatedAt"`;

export const tracedColumns = `${columns}, w.key_id as "keyId", w.caller_address as "callerAddress", w.request_id as "requestId"`;

/** Withdrawals as they were at a change, with their place: `facts` has the columns that changes replace. */
export async function selectAsRecorded(
  db: Db,
  recorded: readonly { id: string; facts: object }[],
): Promise<(WithdrawalRow & { place: bigint })[]> {
  return db.query<WithdrawalRow & { place: bigint } & Row>(
    // Lateral, so that PostgreSQL reads them by index: joined, it read the whole of a young table.
    `select r.place, ${columns} from jsonb_array_elements($1::jsonb) with ordinality as r (one, place)
     cross join lateral (select now from withdrawals now where now.id = (r.one->>'id')::uuid offset 0) n
     cross join lateral jsonb_populate_record(n.now, r.one->'facts') w`,
    [JSON.stringify(recorded)],
  );
}

export async function selectWithdrawal(db: Db, withdrawalId: string): Promise<TracedRow | undefined> {
  const [row] = await db.query<TracedRow & Row>(
    `select ${tracedColumns} from withdrawals w where w.id = $1`,
    [withdrawalId],
  );
  return row;
}

export async function lockWithdrawal(db: Db, withdrawalId: string): Promise<TracedRow | undefined> {
  const [row] = await db.query<TracedRow & Row>(
    `select ${tracedColumns} from withdrawals w where w.id = $1 for update`,
    [withdrawalId],
  );
  return row;
}

/** In the order of states, because workers' clocks may differ. */
export async function selectMoves(db: Db, withdrawalId: string): Promise<{ status: Status; at: Date }[]> {
  return db.query<{ status: Status; at: Date }>(
    `select status, at from withdrawal_moves where withdrawal_id = $1
     order by array_position($2::text[], status)`,
    [withdrawalId, statuses],
  );
}

/** The same of several withdrawals, with the time of creation; unknown ids are omitted. */
export async function selectMovesOfEach(
  db: Db,
  withdrawalIds: readonly string[],
): Promise<{ withdrawalId: string; createdAt: Date; moves: { status: Status; at: Date }[] }[]> {
  const rows = await db.query<{
    withdrawalId: string;
    createdAt: Date;
    moves: { status: Status; at: string }[];
  }>(
    `select w.id as "withdrawalId", w.created_at as "createdAt",
       (select coalesce(jsonb_agg(jsonb_build_object('status', m.status, 'at', m.at) order by array_position($2::text[], m.status)), '[]')
        from withdrawal_moves m where m.withdrawal_id = w.id) as moves
     from withdrawals w where w.id = any($1::uuid[])`,
    [withdrawalIds, statuses],
  );
  return rows.map(({ moves, ...row }) => ({
    ...row,
    moves: moves.map(({ status, at }) => ({ status, at: new Date(at) })),
  }));
}

export async function updateFailed(
  db: Db,
  { withdrawalId, errorMessage, now }: { withdrawalId: string; errorMessage: string; now: Date },
): Promise<void> {
  await db.query(
    `update withdrawals set status = 'failed', error_message = $2, waiting_for = null,
       updated_at = greatest(updated_at, $3) where id = $1`,
    [withdrawalId, errorMessage, now],
  );
}
