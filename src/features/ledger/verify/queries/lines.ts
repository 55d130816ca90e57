import type { Db, Row } from '#platform/db/db';
import { type Counts, counted, type ListRow } from './lists.ts';

export interface LineFault {
  number: string;
  previousNumber: string;
  hash: string;
  rightHash: string;
  postingId: string;
  isPosted: boolean;
  /** Accounts of the line that are not its user's. */
  strangers: string[] | null;
  wrongMovements: { accountId: string; expected: string; found: string | null }[] | null;
}

export interface LinePart extends Counts {
  lines: bigint;
  inTail: bigint;
  lastNumber: bigint | null;
  lastHash: Buffer | null;
  faults: LineFault[];
}

/** The next lines in the order in which they were posted, with hashes computed again, and the wrong ones. */
export async function checkLinePart(
  db: Db,
  { id, tailAt, tailNumber }: ListRow,
  userId: string,
  from: { number: bigint; hash: Buffer },
  limit: number,
): Promise<LinePart> {
  const [row] = await db.query<LinePart & Row>(
    `with part as materialized (
       select line, (line).*, lag((line).hash, 1, $3::bytea) over w as previous_hash,
         lag((line).number, 1, greatest($2::bigint, 0)) over w as previous_number
       from (select l as line from ledger_lines l where l.list_id = $1 and l.number > $2::bigint order by l.number limit $4) next
       window w as (order by (line).number)
     ), checked as (
       select p.number, p.type, p.transaction_at, p.posting_id, p.hash, p.previous_number,
         ledger_line_hash(p.previous_hash, p.line) as right_hash,
         (select g.id from ledger_postings g where g.id = p.posting_id) is not null as is_posted, m.strangers, m.wrong
       from part p cross join lateral (
         select array_agg(e.account_id::text) filter (where a.id is null) as strangers,
           jsonb_agg(jsonb_build_object('accountId', e.account_id::text, 'expected', e.amount::text, 'found', m.amount::text))
             filter (where m.amount is distinct from e.amount) as wrong
         from (values (p.received_account_id, p.received_amount), (p.sent_account_id, -p.sent_amount)) as e (account_id, amount)
         left join lateral (select a.id from ledger_accounts a where a.id = e.account_id and a.user_id = $5 limit 1) a on true
         left join lateral (select m.amount from ledger_movements m where m.account_id = e.account_id
           and m.transaction_at = p.transaction_at and m.number = p.number limit 1) m on true
         where e.account_id is not null) m
     )
     select count(*) as lines, ${counted('c.type')},
       count(*) filter (where (c.transaction_at, c.number) >= ($6::timestamptz, $7::bigint)) as "inTail",
       max(c.number) as "lastNumber", (select p.hash from part p order by p.number desc limit 1) as "lastHash",
       coalesce(jsonb_agg(jsonb_build_object('number', c.number::text, 'previousNumber', c.previous_number::text,
           'hash', encode(c.hash, 'hex'), 'rightHash', encode(c.right_hash, 'hex'), 'postingId', c.posting_id::text,
           'isPosted', c.is_posted, 'strangers', c.strangers, 'wrongMovements', c.wrong) order by c.number)
         filter (where c.number <> c.previous_number + 1 or c.hash <> c.right_hash or not c.is_posted
           or c.strangers is not null or c.wrong is not null), '[]') as faults
     from checked c`,
    [id, from.number, from.hash, limit, userId, tailAt, tailNumber],
  );
  return row!;
}

export interface PostingPart {
  /** Up to which posting it goes; null for the last part. */
  upto: bigint | null;
  /** Postings without the lines that should be theirs. */
  without: string[];
}

/** The next postings, and those whose first or last line in their list is not there. */
export async function checkPostingPart(db: Db, after: bigint, limit: number): Promise<PostingPart> {
  const [row] = await db.query<PostingPart & Row>(
    `with part as materialized (
       select p.id, p.list_id, p.line_number, p.line_count from ledger_postings p where p.id > $1 order by p.id limit $2
     )
     select case when count(*) = $2 then max(p.id) end as upto,
       coalesce(array_agg(p.id::text order by p.id) filter (where p.list_id is not null and (
         select count(*) from (values (p.line_number), (p.line_number + p.line_count - 1)) as n (number)
         where (select l.posting_id from ledger_lines l where l.list_id = p.list_id and l.number = n.number) = p.id) < 2), '{}') as without
     from part p`,
    [after, limit],
  );
  return row!;
}
