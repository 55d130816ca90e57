import type { Db } from '#platform/db/db';
import { queryByFilter } from '#platform/db/query-by-filter';

export interface AuditRow {
  id: string;
  at: string;
  actorKind: string;
  actorId: string;
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
}

/** A row without its subject, whose id may exist only after the change. */
export type NewAuditRow = Omit<AuditRow, 'id' | 'at' | 'subject'> & { at: Date };

/** In their order. `audit_append` assigns numbers and hashes under the lock of the chain. */
export async function insertAuditRows(
  db: Db,
  rows: readonly NewAuditRow[],
  subjects: readonly string[],
): Promise<void> {
  await db.query('select audit_append($1::json, $2::text[])', [JSON.stringify(rows), subjects]);
}

/** What to list of the log; all filters must match. */
export interface AuditSearch {
  /** The id of a key, an integration or a user, the name of an operator or of a job. */
  actor?: string;
  action?: string;
  subject?: string;
  /** Inclusive. */
  startAt?: Date;
  endAt?: Date;
  /** The last id of the page before. */
  before?: string;
  limit: number;
}

/**
 * Rows are numbered in the order of commits, and `at` is the clock of the server that wrote the row, so both
 * orders are the same but for differences of clocks. A period is a range of ids, as wide as clocks may
 * differ, found by the index of `at`.
 */
export async function selectAuditRows(db: Db, search: AuditSearch): Promise<AuditRow[]> {
  const { action, subject, before, actor, startAt, endAt, limit } = search;
  // A plain `order by id` would sort by the answer's column, which is text: 99 before 100.
  const rows = await queryByFilter<Omit<AuditRow, 'at'> & { at: Date }>(
    db,
    `select id::text, at, actor_kind as "actorKind", actor_id as "actorId", action, subject, before, after
     from audit_log l
     where ($1::text is null or action = $1) and ($2::text is null or subject = $2) and ($3::bigint is null or id < $3)
       and ($4::text is null or actor_id = $4)
       and ($5::timestamptz is null or (at >= $5 and id > coalesce(
         (select o.id from audit_log o where o.at < $5 - interval '${clockSlack}' order by o.at desc limit 1), 0)))
       and ($6::timestamptz is null or (at <= $6 and id < coalesce(
         (select o.id from audit_log o where o.at > $6 + interval '${clockSlack}' order by o.at limit 1), 9223372036854775807)))
     order by l.id desc limit $7`,
    [action, subject, before, actor, startAt, endAt, limit],
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

const clockSlack = '1 day';

/** The rest of this transaction sees one snapshot of the database, however long it takes. */
export async function freezeView(db: Db): Promise<void> {
  await db.query('set transaction isolation level repeatable read, read only');
}

export interface ChainEnd {
  id: string;
  hash: Buffer;
}

/** Where the chain starts: before its first row. */
export async function selectChainStart(db: Db): Promise<ChainEnd> {
  const [row] = await db.query<{ hash: Buffer }>(`select sha256('causeway audit log') as hash`);
  return { id: '0', hash: row!.hash };
}

/** Where the newest `count` rows start: at the row before them, or at the start of the chain. */
export async function selectChainBefore(db: Db, count: number): Promise<ChainEnd> {
  const [row] = await db.query<{ id: string; hash: Buffer }>(
    'select id::text, hash from audit_log order by audit_log.id desc offset $1 limit 1',
    [count],
  );
  return row ?? selectChainStart(db);
}

export interface ChainPart {
  rows: number;
  /** Rows whose content or position does not match their hash. */
  broken: string[];
  end: ChainEnd;
}

/** The next `limit` rows after `from`, with recomputed hashes. */
export async function checkChainPart(db: Db, from: ChainEnd, limit: number): Promise<ChainPart> {
  const [row] = await db.query<{ rows: number; broken: string[]; id: string | null; hash: Buffer | null }>(
    `with part as (
       select line, id, hash,
         lag(hash, 1, $2::bytea) over (order by id) as previous_hash,
         lag(id, 1, $1::bigint) over (order by id) as previous_id
       from (select l as line, l.id, l.hash from audit_log l where l.id > $1::bigint order by l.id limit $3) next
     )
     select count(*)::integer as rows,
       coalesce(array_agg(id::text order by part.id)
         filter (where hash <> audit_row_hash(previous_hash, line) or id <> previous_id + 1), '{}') as broken,
       max(id)::text as id,
       (select hash from part order by part.id desc limit 1) as hash
     from part`,
    [from.id, from.hash, limit],
  );
  const { rows, broken, id, hash } = row!;
  return { rows, broken, end: id !== null && hash ? { id, hash } : from };
}

export async function selectChainHead(db: Db): Promise<ChainEnd> {
  const [row] = await db.query<{ id: string; hash: Buffer }>(
    'select id::text, hash from audit_heads order by audit_heads.id desc limit 1',
  );
  return row!;
}
