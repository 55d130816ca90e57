import type { Db, Row } from '#platform/db/db';

export type ApprovalStatus = 'pending' | 'approved' | 'refused' | 'expired';

export interface ApprovalRow {
  id: string;
  command: string;
  inputSha256: Buffer;
  requestedBy: string;
  requestedAt: Date;
  expiresAt: Date;
  status: ApprovalStatus;
  decidedBy: string | null;
  decidedAt: Date | null;
  comment: string | null;
}

/** With what was asked for, which is kept until the decision. */
export interface SealedApprovalRow extends ApprovalRow {
  inputSealed: Buffer | null;
}

const columns = `id, command, input_sha256 as "inputSha256", requested_by as "requestedBy",
  requested_at as "requestedAt", expires_at as "expiresAt", status, decided_by as "decidedBy",
  decided_at as "decidedAt", comment`;
const sealedColumns = `${columns}, input_sealed as "inputSealed"`;

export async function selectNewId(db: Db): Promise<string> {
  const [row] = await db.query<{ id: string }>('select uuidv7() as id');
  return row!.id;
}

export async function insertApproval(db: Db, row: SealedApprovalRow): Promise<void> {
  await db.query(
    `insert into approval_requests (id, command, input_sealed, input_sha256, requested_by, requested_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.id, row.command, row.inputSealed, row.inputSha256, row.requestedBy, row.requestedAt, row.expiresAt],
  );
}

export async function selectApproval(db: Db, id: string): Promise<SealedApprovalRow | undefined> {
  const [row] = await db.query<SealedApprovalRow & Row>(
    `select ${sealedColumns} from approval_requests where id = $1`,
    [id],
  );
  return row;
}

/** Operators who decide at the same time wait here, and then see the decision. */
export async function lockApproval(db: Db, id: string): Promise<SealedApprovalRow | undefined> {
  const [row] = await db.query<SealedApprovalRow & Row>(
    `select ${sealedColumns} from approval_requests where id = $1 for update`,
    [id],
  );
  return row;
}

export async function updateDecision(
  db: Db,
  { id, status, decidedBy, decidedAt, comment }: ApprovalRow,
): Promise<void> {
  await db.query(
    `update approval_requests
     set status = $2, decided_by = $3, decided_at = $4, comment = $5, input_sealed = null where id = $1`,
    [id, status, decidedBy, decidedAt, comment],
  );
}

/** Ends requests whose time is over, and deletes their input. */
export async function updateExpired(db: Db, now: Date): Promise<void> {
  await db.query(
    `update approval_requests set status = 'expired', input_sealed = null
     where id in (select id from approval_requests where status = 'pending' and expires_at <= $1
       order by expires_at limit 1000 for update skip locked)`,
    [now],
  );
}

export async function selectApprovals(
  db: Db,
  filter: { status?: ApprovalStatus; before?: string; now: Date; limit: number },
): Promise<ApprovalRow[]> {
  return db.query<ApprovalRow & Row>(
    `select ${columns} from approval_requests
     where ($1::text is null or case when status = 'pending' and expires_at <= $3 then 'expired' else status end = $1)
       and ($2::uuid is null or id < $2)
     order by id desc limit $4`,
    [filter.status ?? null, filter.before ?? null, filter.now, filter.limit],
  );
}

export async function countPending(db: Db, now: Date): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from approval_requests where status = 'pending' and expires_at > $1`,
    [now],
  );
  return row!.count;
}
