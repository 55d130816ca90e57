import type { Db, Row } from '#platform/db/db';
import { queryByFilter } from '#platform/db/query-by-filter';

export interface DepositSearch {
  network?: string | undefined;
  userId?: string | undefined;
  currency?: string | undefined;
  /** In lower case. */
  transactionHash?: string | undefined;
  /** For each network with an entry: the place of its last row on the page before. */
  places: ReadonlyMap<string, Place>;
  /** For each network with an entry, inclusive. */
  fromBlocks: ReadonlyMap<string, number>;
  toBlocks: ReadonlyMap<string, number>;
  /** Of each network. */
  limit: number;
}

/** Where a deposit stands in its network. A mined-again transaction may have the place of another one. */
export interface Place {
  block: number;
  logIndex: number;
  /** How its hash begins. */
  hashStart: string;
}

export const hashStartLength = 10;

export interface ListedDeposit extends Row {
  network: string;
  transactionHash: string;
  logIndex: number;
  blockNumber: number;
  userId: string;
  wallet: string;
  currency: string;
  amount: bigint;
  /** Blocks up to the last one that was read. */
  confirmations: number;
  /** Null if no line of this user credits the transfer. */
  postingId: string | null;
  postingKind: string | null;
  postedAt: Date | null;
  /** The date of the line: the time of the block, if the watcher posted it. */
  at: Date | null;
  lineNumber: number | null;
  lineKey: string | null;
  description: string | null;
}

/**
 * The line that credits a deposit, by the name of its posting. A transfer that an operator had posted before
 * has no such posting: then it is the line of the user with its place on chain.
 */
const lineOf = `left join lateral (
    select p.id, p.kind, p.posted_at, p.list_id, p.line_number from ledger_postings p
    where p.kind = 'deposit' and p.operation_id = d.network || ':' || d.transaction_hash || ':' || d.log_index
  ) own on true
  left join lateral (
    select l.list_id, l.number, l.posting_id from ledger_lists h
    join ledger_lines l on l.list_id = h.id and l.unique_hash_id = d.transaction_hash || ':' || d.log_index
    where own.id is null and h.user_id = d.user_id and h.is_settled and l.received_amount is not null
  ) earlier on true
  left join ledger_postings p on p.id = coalesce(own.id, earlier.posting_id)
  left join ledger_lines l on l.list_id = coalesce(own.list_id, earlier.list_id)
    and l.number = coalesce(own.line_number, earlier.number)`;

const highest = { block: '9223372036854775807', logIndex: '2147483647', hashStart: '~' };

/**
 * The newest deposits of each network. Only the row comparison with all columns of the index of users keeps
 * PostgreSQL from reading the newest deposits of everybody in the hope of finding the user's soon.
 */
export function selectDeposits(db: Db, search: DepositSearch): Promise<ListedDeposit[]> {
  const { network, userId, currency, transactionHash, places, fromBlocks, toBlocks, limit } = search;
  const ofUser = `d.user_id is not null and (d.user_id, d.network, d.block_number) <= ($2::uuid, c.network, c.block)
    and (d.user_id, d.network, d.block_number) >= ($2::uuid, c.network, c.from_block)`;
  const ofNetwork =
    '$2::uuid is null and d.network = c.network and d.block_number <= c.block and d.block_number >= c.from_block';
  const order = userId === undefined ? '' : 'd.user_id desc, d.network desc, ';
  const names = [...new Set([...places.keys(), ...fromBlocks.keys(), ...toBlocks.keys()])];
  return queryByFilter<ListedDeposit>(
    db,
    `select d.network, d.transaction_hash as "transactionHash", d.log_index as "logIndex",
       d.block_number::double precision as "blockNumber", d.user_id as "userId", d.wallet, d.currency, d.amount,
       greatest(d.next_block - d.block_number, 0)::double precision as confirmations,
       p.id::text as "postingId", p.kind as "postingKind", p.posted_at as "postedAt", l.transaction_at as at,
       l.number::double precision as "lineNumber", l.unique_hash_id as "lineKey", l.description
     from (
       select d.*, c.next_block from (
         select c.network, c.next_block, least(g.block, g.to_block, ${highest.block}) as block,
           coalesce(g.from_block, 0) as from_block, coalesce(g.block, ${highest.block}) as last_block,
           coalesce(g.log_index, ${highest.logIndex}) as last_log, coalesce(g.hash_start, '${highest.hashStart}') as last_hash
         from deposit_cursors c
         left join unnest($5::text[], $6::bigint[], $7::integer[], $8::text[], $9::bigint[], $10::bigint[])
           as g (network, block, log_index, hash_start, from_block, to_block) on g.network = c.network
         where $1::text is null or c.network = $1
       ) c cross join lateral (
         select d.* from deposits d
         where ${userId === undefined ? ofNetwork : ofUser}
           and (d.block_number, d.log_index, left(d.transaction_hash, ${hashStartLength})) < (c.last_block, c.last_log, c.last_hash)
           and ($3::text is null or d.currency = $3)
           and ($4::text is null or d.transaction_hash = $4)
         order by ${order}d.block_number desc, d.log_index desc, left(d.transaction_hash, ${hashStartLength}) desc
         limit $11
       ) d
     ) d ${lineOf}
     order by d.network, d.block_number desc, d.log_index desc, left(d.transaction_hash, ${hashStartLength}) desc`,
    [
      ...[network, userId, currency, transactionHash],
      names,
      names.map((name) => places.get(name)?.block ?? null),
      names.map((name) => places.get(name)?.logIndex ?? null),
      names.map((name) => places.get(name)?.hashStart ?? null),
      names.map((name) => fromBlocks.get(name) ?? null),
      names.map((name) => toBlocks.get(name) ?? null),
      limit,
    ],
  );
}

/**
 * The first block with a deposit at an instant or later, for each network that has one; times of blocks are
 * those of lines. It halves the blocks of a network about 30 times, by an index.
 */
export async function selectFirstBlocks(db: Db, instant: Date): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ network: string; block: number }>(
    `with recursive search as (
       select c.network, 0::bigint as low, b.highest + 1 as high from deposit_cursors c
       cross join lateral (select max(block_number) as highest from deposits d where d.network = c.network) b
       where b.highest is not null
       union all
       select s.network, case when f.at < $1 then f.block + 1 else s.low end, case when f.at < $1 then s.high else (s.low + s.high) / 2 end
       from search s
       left join lateral (
         select d.block_number as block, coalesce(l.transaction_at, p.posted_at) as at from deposits d
         join ledger_postings p on p.kind = 'deposit' and p.operation_id = d.network || ':' || d.transaction_hash || ':' || d.log_index
         left join ledger_lines l on l.list_id = p.list_id and l.number = p.line_number
         where d.network = s.network and d.block_number >= (s.low + s.high) / 2 and d.block_number < s.high
         order by d.block_number limit 1
       ) f on true
       where s.low < s.high
     )
     select network, low::double precision as block from search where low >= high`,
    [instant],
  );
  return new Map(rows.map(({ network, block }) => [network, block]));
}
