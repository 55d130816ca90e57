import type { Db, Row } from '#platform/db/db';
import { columns } from './columns.ts';
import type { PageRow } from './pages.ts';

const recordedLines = `select r.place, ${columns('l')}, coalesce(c.network, s.network) as network, s.currency as "sentCurrency",
     c.currency as "receivedCurrency", b.balance as "runningBalance"
   from jsonb_array_elements($1::jsonb) with ordinality as r (one, place)
   join ledger_lists h on h.user_id = (r.one->>'user_id')::uuid and h.is_settled
   cross join lateral (
     select * from ledger_lines where list_id = h.id and number = (r.one->>'number')::bigint
     union all
     select * from ledger_lines where list_id = h.id and unique_hash_id = r.one->>'unique_hash_id') l
   left join ledger_accounts s on s.id = l.sent_account_id
   left join ledger_accounts c on c.id = l.received_account_id
   cross join lateral ledger_balances_before(l.list_id, array[coalesce(c.id, s.id)], l.transaction_at, l.number + 1) b`;

/** Lines by their number or their place on chain, with the place in the list of what was wanted, from 1. */
export async function selectRecordedLines(
  db: Db,
  wanted: readonly object[],
): Promise<(PageRow & { place: bigint })[]> {
  return db.query<PageRow & { place: bigint } & Row>(recordedLines, [JSON.stringify(wanted)]);
}

const isOfTransaction = (l: string) => `${l}.unique_hash_id >= $2 || ':' and ${l}.unique_hash_id < $2 || ';'`;

const linesOfTransaction = `with placed as materialized (
     select l.* from ledger_lists h join ledger_lines l on l.list_id = h.id
     where h.user_id = $1 and h.is_settled and ${isOfTransaction('l')}
   ), operations as (
     select p.list_id, p.operation_id from placed p
     union
     select p.list_id, a.network || ':' || p.unique_hash_id collate "default" from placed p, ledger_accounts a where a.user_id = $1
   ), found as (
     select * from placed
     union all
     -- Operation by operation: left to itself, the planner may read all lines that there are.
     select l.* from operations o cross join lateral (
       select * from ledger_lines where list_id = o.list_id and operation_id = o.operation_id offset 0) l
     where not (${isOfTransaction('l')})
       and exists (select from ledger_postings t where t.id = l.posting_id and t.transaction_hash = $2)
   )
   select ${columns('l')}, coalesce(r.network, s.network) as network, s.currency as "sentCurrency", r.currency as "receivedCurrency",
     b.balance as "runningBalance"
   from found l
   left join ledger_accounts s on s.id = l.sent_account_id
   left join ledger_accounts r on r.id = l.received_account_id
   cross join lateral ledger_balances_before(l.list_id, array[coalesce(r.id, s.id)], l.transaction_at, l.number + 1) b
   order by l.transaction_at desc, l.number desc`;

/**
 * A user's lines of one transaction, its hash in lower case, each with the balance after it. A range of the
 * index of places on chain, which is in the order of bytes; and, by their operations, those that have no
 * place because another line of the same transaction has it: what a withdrawal to oneself brings.
 */
export async function selectLinesOfTransaction(
  db: Db,
  userId: string,
  transactionHash: string,
): Promise<PageRow[]> {
  return db.query<PageRow & Row>(linesOfTransaction, [userId, transactionHash]);
}
