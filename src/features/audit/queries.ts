import type { Db, Row } from '#platform/db/db';
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

/** In their order. `audit_append` assigns numbers and hashes under the lock of a chain. */
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
 * Rows are numbered when they are written, and `at` is the clock of the server that wrote the row, so both
 * orders are the same but for differences of clocks, and for changes that are made at the same time. A period
 * is a range of ids, as wide as clocks may differ, found by the index of `at`.
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

/** One row, by its number. */
export async function selectAuditRow(db: Db, id: string): Promise<AuditRow | undefined> {
  const [row] = await db.query<Omit<AuditRow, 'at'> & { at: Date } & Row>(
    `select id::text, at, actor_kind as "actorKind", actor_id as "actorId", action, subject, before, after
     from audit_log where id = $1`,
    [id],
  );
  return row && { ...row, at: row.at.toISOString() };
}

/** The newest row of a chain, or the start of one without rows. */
export interface ChainEnd {
  chain: number;
  id: string;
  hash: Buffer;
}

/** Where the check of a chain begins: without a hash, after a row that was not looked for. */
export type ChainStart = ChainEnd | { chain: number; id: null; hash: null };

const chainHeads = `(select 0 as chain, id, hash from audit_heads order by audit_heads.id desc limit 1)
  union all
  (select distinct on (h.chain) h.chain, h.id, h.hash from audit_chain_heads h order by h.chain, h.id desc)`;

const lookBackMax = 10_000;

/**
 * What comes before the newest `count` rows: the last id, and the ends of the chains there. A chain is looked
 * for in at most 10,000 numbers, so that the time does not grow with the log; an index by chain would cost
 * each audited change more than the one link that is not checked is worth.
 */
export async function selectBeforeNewest(
  db: Db,
  count: number,
): Promise<{ afterId: string; starts: ChainStart[] }> {
  const rows = await db.query<{ afterId: string; chain: number; id: string | null; hash: Buffer | null }>(
    `with before as (select id from audit_log order by audit_log.id desc offset $1 limit 1)
     select b.id::text as "afterId", h.chain::integer, e.id::text, e.hash
     from before b cross join (${chainHeads}) h cross join lateral (select least(b.id, h.id) as id) upto
     left join lateral (
       select l.id, l.hash from audit_log l
       where l.chain = h.chain and l.id <= upto.id and l.id > upto.id - ${lookBackMax} order by l.id desc limit 1
     ) e on true
     where e.id is not null or upto.id > ${lookBackMax}`,
    [count],
  );
  const starts = rows.map(({ chain, id, hash }) => ({ chain, id, hash }) as ChainStart);
  return { afterId: rows[0]?.afterId ?? '0', starts };
}

export interface LogPart {
  rows: number;
  /** Rows whose content or position does not match their hash, and anchors that name what is gone. */
  broken: string[];
  /** The last id. */
  id: string;
  /** The ends of the chains that have rows in this part. */
  ends: ChainEnd[];
}

/** The action of a row that names the heads of other chains, with their hashes. */
export const anchorAction = 'audit.anchor';

const isAnchored = `exists (select from audit_log l
  where l.id = case when h ->> 'id' ~ '^[0-9]{1,18}$' then (h ->> 'id')::bigint end
    and l.chain::text = h ->> 'chain' and encode(l.hash, 'hex') = h ->> 'hash')`;

/** The next `limit` rows after `afterId`, with recomputed hashes; `starts` are the ends of what is before. */
export async function checkLogPart(
  db: Db,
  { afterId, starts }: { afterId: string; starts: readonly ChainStart[] },
  limit: number,
): Promise<LogPart> {
  const [row] = await db.query<Omit<LogPart, 'ends'> & { chains: number[]; ids: string[]; hashes: Buffer[] }>(
    `with next as materialized (
       select l as line, l.id, l.chain, l.hash from audit_log l where l.id > $1::bigint order by l.id limit $4
     ), part as (
       select n.line, n.id, n.hash,
         coalesce(lag(n.hash) over (partition by n.chain order by n.id),
           case when s.chain is null then audit_first_hash(n.chain) else s.hash end) as previous_hash
       from next n left join unnest($2::smallint[], $3::bytea[]) as s (chain, hash) on s.chain = n.chain
     ), broken as (
       select id from part where hash <> audit_row_hash(previous_hash, line)
       union
       select n.id from next n, jsonb_path_query((n.line).after, 'lax $.heads[*]') h
       where (n.line).action = '${anchorAction}' and not ${isAnchored}
     ), ends as (select distinct on (chain) chain, id, hash from next order by chain, id desc)
     select (select count(*)::integer from next) as rows,
       (select coalesce(array_agg(id::text order by id), '{}') from broken) as broken,
       (select coalesce(max(id), $1::bigint)::text from next) as id,
       array(select chain::integer from ends order by chain) as chains,
       array(select id::text from ends order by chain) as ids,
       array(select hash from ends order by chain) as hashes`,
    [afterId, starts.map(({ chain }) => chain), starts.map(({ hash }) => hash), limit],
  );
  const { chains, ids, hashes, ...part } = row!;
  return { ...part, ends: chains.map((chain, n) => ({ chain, id: ids[n]!, hash: hashes[n]! })) };
}

/** Of the chains that were ever written to, and of chain 0. */
export function selectChainHeads(db: Db): Promise<ChainEnd[]> {
  return db.query<ChainEnd & Row>(
    `select h.chain::integer, h.id::text, h.hash from (${chainHeads}) h order by h.chain`,
  );
}

/**
 * All heads, if the last anchor does not name one of them; none if that is only the head of chain 0 or the
 * anchor itself. Numbers do not say what an anchor has seen: a row may be committed after an anchor with a
 * higher number.
 */
export function selectHeadsToAnchor(db: Db): Promise<ChainEnd[]> {
  return db.query<ChainEnd & Row>(
    `with last as (
       select l.id, l.after -> 'heads' as named from audit_log l
       where l.action = '${anchorAction}' order by l.id desc limit 1
     ), heads as (${chainHeads})
     select h.chain::integer, h.id::text, h.hash from heads h
     where h.id > 0 and exists (select from heads c where c.chain <> 0 and not exists (
       select from last where last.id = c.id
         or last.named @> jsonb_build_array(jsonb_build_object('chain', c.chain, 'id', c.id::text))))
     order by h.chain`,
  );
}
