import type { Db, Row } from '#platform/db/db';
import type { Place } from './lists.ts';

export interface AccountRow {
  id: bigint;
  network: string;
  currency: string;
  balance: string;
  held: string;
  isHeldRight: boolean;
}

export async function selectAccounts(db: Db, userId: string): Promise<AccountRow[]> {
  return db.query<AccountRow & Row>(
    `select id, network, currency, balance::text, held::text, (held >= 0 and held <= balance) is true as "isHeldRight"
     from ledger_accounts where user_id = $1 order by id`,
    [userId],
  );
}

export interface AssetSum {
  network: string;
  currency: string;
  amount: string;
}

/** What users have on the next accounts, by asset; `upto` is null for the last part. */
export async function sumBalancesPart(
  db: Db,
  after: bigint,
  limit: number,
): Promise<{ accounts: bigint; upto: bigint | null; sums: AssetSum[] }> {
  const [row] = await db.query<{ accounts: bigint; upto: bigint | null; sums: AssetSum[] }>(
    `with part as materialized (
       select a.id, a.user_id, a.network, a.currency, a.balance from ledger_accounts a where a.id > $1 order by a.id limit $2
     ), sums as (
       select p.network, p.currency, sum(p.balance)::text as amount from part p where p.user_id is not null group by p.network, p.currency
     )
     select count(*) as accounts, case when count(*) = $2 then max(p.id) end as upto,
       coalesce((select jsonb_agg(s) from sums s), '[]') as sums
     from part p`,
    [after, limit],
  );
  return row!;
}

/** What the house has of each asset. */
export async function selectHouse(db: Db): Promise<AssetSum[]> {
  return db.query<AssetSum & Row>(
    'select network, currency, balance::text as amount from ledger_house_balances order by network, currency',
  );
}

export interface MovementPart {
  rows: bigint;
  amount: string;
  last: Place;
  faults: { at: string; number: string; amount: string; expected: string | null }[];
}

/** The next movements of an account in the order of its list, and those that no line made. */
export async function checkMovementPart(
  db: Db,
  accountId: bigint,
  listId: bigint | null,
  from: Place,
  limit: number,
): Promise<MovementPart> {
  const [row] = await db.query<Omit<MovementPart, 'last'> & Row>(
    `with part as materialized (
       select m.* from ledger_movements m where m.account_id = $1 and (m.transaction_at, m.number) > ($2::timestamptz, $3::bigint)
       order by m.transaction_at, m.number limit $4
     ), checked as (
       select p.*, l.amount as right_amount from part p left join lateral (
         select case when l.received_account_id = p.account_id then l.received_amount
           when l.sent_account_id = p.account_id then -l.sent_amount end as amount
         from ledger_lines l where l.list_id = $5::bigint and l.number = p.number and l.transaction_at = p.transaction_at limit 1) l on true
     )
     select count(*) as rows, coalesce(sum(amount), 0)::text as amount,
       (select p.transaction_at::text from part p order by p.transaction_at desc, p.number desc limit 1) as at,
       (select p.number from part p order by p.transaction_at desc, p.number desc limit 1) as number,
       coalesce(jsonb_agg(jsonb_build_object('at', transaction_at::text, 'number', number::text, 'amount', amount::text,
           'expected', right_amount::text) order by transaction_at, number)
         filter (where right_amount is distinct from amount), '[]') as faults
     from checked`,
    [accountId, from.at, from.number, limit, listId],
  );
  const { at, number, ...part } = row as MovementPart & Row;
  return { ...part, last: { at: at as string, number: number as bigint } };
}
