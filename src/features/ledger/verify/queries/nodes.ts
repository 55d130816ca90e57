import type { Db, Row } from '#platform/db/db';
import { type Counts, counted, type Place } from './lists.ts';

export interface NodeRow extends Counts {
  firstAt: string;
  firstNumber: bigint;
  uptoAt: string;
  uptoNumber: bigint;
  size: bigint;
  /** The same from what is below it: lines, or nodes of the level below. */
  counted: Record<keyof Counts | 'size', bigint>;
  /** Where the last node below it ends; null for level 0. */
  endsAt: string | null;
  endsNumber: bigint | null;
}

/** The next nodes of a level, and what they should count. */
export async function selectNodePart(
  db: Db,
  listId: bigint,
  level: number,
  from: Place,
  limit: number,
): Promise<NodeRow[]> {
  const rows = await db.query<Row>(
    `select n.first_at::text as "firstAt", n.first_number as "firstNumber", n.upto_at::text as "uptoAt",
       n.upto_number as "uptoNumber", n.size::bigint as size, n.buys, n.sells, n.swaps, n.transfers,
       c.size as "countedSize", c.buys as "countedBuys", c.sells as "countedSells", c.swaps as "countedSwaps",
       c.transfers as "countedTransfers", c.ends_at::text as "endsAt", c.ends_number as "endsNumber"
     from ledger_lists l
     cross join lateral (
       select * from ledger_nodes n
       where n.list_id = l.id and n.level = $2 and (n.first_at, n.first_number) > ($3::timestamptz, $4::bigint)
       order by n.first_at, n.first_number limit $5) n
     cross join lateral (
       select count(*) as size, ${counted('k.type')}, null::timestamptz as ends_at, null::bigint as ends_number
       from ledger_keys(l, n.first_at, n.first_number, n.upto_at, n.upto_number) k where $2 = 0 having $2 = 0
       union all
       select count(*), coalesce(sum(b.buys), 0), coalesce(sum(b.sells), 0), coalesce(sum(b.swaps), 0),
         coalesce(sum(b.transfers), 0), (array_agg(b.upto_at order by b.first_at desc, b.first_number desc))[1],
         (array_agg(b.upto_number order by b.first_at desc, b.first_number desc))[1]
       from ledger_nodes b where $2 > 0 and b.list_id = l.id and b.level = $2 - 1
         and (b.first_at, b.first_number) >= (n.first_at, n.first_number)
         and (b.first_at, b.first_number) < (n.upto_at, n.upto_number) having $2 > 0) c
     where l.id = $1
     order by n.first_at, n.first_number`,
    [listId, level, from.at, from.number, limit],
  );
  return rows.map(
    ({ countedSize, countedBuys, countedSells, countedSwaps, countedTransfers, ...node }) =>
      ({
        ...node,
        counted: {
          size: countedSize,
          buys: countedBuys,
          sells: countedSells,
          swaps: countedSwaps,
          transfers: countedTransfers,
        },
      }) as NodeRow,
  );
}

/** Nodes of levels that no list has. */
export async function selectStrangeLevels(
  db: Db,
  listId: bigint,
): Promise<{ level: number; nodes: bigint }[]> {
  return db.query<{ level: number; nodes: bigint } & Row>(
    `select level, count(*) as nodes from ledger_nodes where list_id = $1 and (level < 0 or level > 2)
     group by level order by level`,
    [listId],
  );
}

export interface WrongSum {
  accountId: bigint;
  firstAt: string;
  firstNumber: bigint;
  expected: string;
  found: string | null;
}

/**
 * Of the nodes of a level from one place to another, both included: what a user's accounts did not move
 * within them.
 */
export async function selectWrongSums(
  db: Db,
  { listId, userId, level }: { listId: bigint; userId: string; level: number },
  first: Place,
  last: Place,
): Promise<WrongSum[]> {
  return db.query<WrongSum & Row>(
    `select a.id as "accountId", n.first_at::text as "firstAt", n.first_number as "firstNumber",
       moved.amount::text as expected, s.amount::text as found
     from ledger_nodes n
     cross join ledger_accounts a
     cross join lateral (
       select coalesce(sum(m.amount), 0) as amount from ledger_movements m
       where $3 = 0 and m.account_id = a.id and (m.transaction_at, m.number) >= (n.first_at, n.first_number)
         and (m.transaction_at, m.number) < (n.upto_at, n.upto_number) having $3 = 0
       union all
       select coalesce(sum(b.amount), 0) from ledger_sums b
       where $3 > 0 and b.account_id = a.id and b.level = $3 - 1 and (b.first_at, b.first_number) >= (n.first_at, n.first_number)
         and (b.first_at, b.first_number) < (n.upto_at, n.upto_number) having $3 > 0) moved
     left join lateral (select s.amount from ledger_sums s where s.account_id = a.id and s.level = $3
       and s.first_at = n.first_at and s.first_number = n.first_number limit 1) s on true
     where n.list_id = $1 and n.level = $3 and a.user_id = $2
       and (n.first_at, n.first_number) >= ($4::timestamptz, $5::bigint)
       and (n.first_at, n.first_number) <= ($6::timestamptz, $7::bigint)
       and coalesce(s.amount, 0) <> moved.amount
     order by n.first_at, n.first_number, a.id`,
    [listId, userId, level, first.at, first.number, last.at, last.number],
  );
}

export interface WrongKinds {
  firstAt: string;
  firstNumber: bigint;
  uptoAt: string;
  uptoNumber: bigint;
  isOfNode: boolean;
}

/**
 * The stored kinds of a ledger's nodes after one place up to another, included, that are not those of its
 * lines, or of the nodes below, or that belong to no node. A node may have none: a reader counts its lines
 * then.
 */
export async function selectWrongKinds(
  db: Db,
  listId: bigint,
  level: number,
  after: Place,
  upto: Place,
): Promise<WrongKinds[]> {
  return db.query<WrongKinds & Row>(
    `select h.first_at::text as "firstAt", h.first_number as "firstNumber", h.upto_at::text as "uptoAt",
       h.upto_number as "uptoNumber", n.list_id is not null as "isOfNode"
     from ledger_kinds h
     left join ledger_nodes n on n.list_id = h.list_id and n.level = h.level and n.first_at = h.first_at
       and n.first_number = h.first_number and n.upto_at = h.upto_at and n.upto_number = h.upto_number
     cross join lateral (
       select array_agg(k order by k) as kinds from unnest(ledger_kinds_between($1, h.first_at, h.first_number, h.upto_at,
         h.upto_number)) k where $2 = 0 having $2 = 0
       union all
       select array_agg(row(b.type, b.sent_account_id, b.received_account_id, b.lines, b.sent, b.received)::ledger_kind
         order by b.type, b.sent_account_id, b.received_account_id) from (
         select k.type, k.sent_account_id, k.received_account_id, sum(k.lines)::bigint as lines, sum(k.sent) as sent,
           sum(k.received) as received
         from ledger_kinds b, unnest(b.kinds) k
         where $2 > 0 and b.list_id = $1 and b.level = $2 - 1 and (b.first_at, b.first_number) >= (h.first_at, h.first_number)
           and (b.first_at, b.first_number) < (h.upto_at, h.upto_number)
         group by k.type, k.sent_account_id, k.received_account_id) b having $2 > 0) c
     where h.list_id = $1 and h.level = $2 and (h.first_at, h.first_number) > ($3::timestamptz, $4::bigint)
       and (h.first_at, h.first_number) <= ($5::timestamptz, $6::bigint)
       and (n.list_id is null
         or (n.buys, n.sells, n.swaps, n.transfers) <> (
           select coalesce(sum(k.lines) filter (where k.type = 'buy'), 0), coalesce(sum(k.lines) filter (where k.type = 'sell'), 0),
             coalesce(sum(k.lines) filter (where k.type = 'swap-bridge'), 0),
             coalesce(sum(k.lines) filter (where k.type = 'transfer-token'), 0) from unnest(h.kinds) k)
         or c.kinds is distinct from (select array_agg(k order by k) from unnest(h.kinds) k))
     order by h.first_at, h.first_number limit 100`,
    [listId, level, after.at, after.number, upto.at, upto.number],
  );
}

export interface SumPart {
  sums: bigint;
  last: (Place & { level: number }) | null;
  strays: { level: number; at: string; number: string; amount: string }[];
}

/** The next sums of an account, and those that belong to no node. */
export async function checkSumPart(
  db: Db,
  accountId: bigint,
  listId: bigint | null,
  from: Place & { level: number },
  limit: number,
): Promise<SumPart> {
  const [row] = await db.query<
    Omit<SumPart, 'last'> & { level: number | null; at: string; number: bigint } & Row
  >(
    `with part as materialized (
       select s.* from ledger_sums s
       where s.account_id = $1 and (s.level, s.first_at, s.first_number) > ($2::smallint, $3::timestamptz, $4::bigint)
       order by s.level, s.first_at, s.first_number limit $5
     ), checked as (
       select p.*, (select n.size from ledger_nodes n where n.list_id = $6::bigint and n.level = p.level
         and n.first_at = p.first_at and n.first_number = p.first_number) is null as is_stray from part p
     )
     select count(*) as sums, l.level, l.at, l.number,
       coalesce(jsonb_agg(jsonb_build_object('level', c.level, 'at', c.first_at::text, 'number', c.first_number::text,
         'amount', c.amount::text)) filter (where c.is_stray), '[]') as strays
     from checked c left join lateral (
       select p.level, p.first_at::text as at, p.first_number as number from part p
       order by p.level desc, p.first_at desc, p.first_number desc limit 1) l on true
     group by l.level, l.at, l.number`,
    [accountId, from.level, from.at, from.number, limit, listId],
  );
  if (!row) return { sums: 0n, last: null, strays: [] };
  const { sums, strays, level, at, number } = row;
  return { sums, strays, last: level === null ? null : { level, at, number } };
}
