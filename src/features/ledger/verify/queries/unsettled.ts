import type { Db, Row } from '#platform/db/db';
import type { AssetSum } from './accounts.ts';
import { type Counts, counted, type ListRow, type Place } from './lists.ts';

export interface UnsettledFault {
  operationId: string;
  number: string;
  withdrawalId: string | null;
  isNumberWrong: boolean;
  isWithdrawalWrong: boolean;
  isInLedger: boolean;
}

export interface UnsettledPart extends Counts {
  records: bigint;
  inTail: bigint;
  last: Place;
  faults: UnsettledFault[];
}

/** The next unsettled records of a user in the order of their list, and those that should not be there. */
export async function checkUnsettledPart(
  db: Db,
  { id, lastNumber, tailAt, tailNumber }: ListRow,
  { userId, ledgerId }: { userId: string; ledgerId: bigint | null },
  from: Place,
  limit: number,
): Promise<UnsettledPart> {
  const [row] = await db.query<Omit<UnsettledPart, 'last'> & { at: string; number: bigint } & Row>(
    `with part as materialized (
       select u.* from ledger_unsettled u where u.list_id = $1 and (u.transaction_at, u.number) > ($2::timestamptz, $3::bigint)
       order by u.transaction_at, u.number limit $4
     ), checked as (
       select p.*, p.number < 1 or p.number > $5::bigint as is_number_wrong,
         p.withdrawal_id is not null and ((select w.user_id from withdrawals w where w.id = p.withdrawal_id) = $6
           and p.operation_id = p.withdrawal_id::text) is not true as is_withdrawal_wrong,
         (select l.number from ledger_lines l where l.list_id = $7::bigint and l.operation_id = p.operation_id limit 1)
           is not null as is_in_ledger
       from part p
     )
     select count(*) as records, ${counted('c.type')},
       count(*) filter (where (c.transaction_at, c.number) >= ($8::timestamptz, $9::bigint)) as "inTail",
       (select p.transaction_at::text from part p order by p.transaction_at desc, p.number desc limit 1) as at,
       (select p.number from part p order by p.transaction_at desc, p.number desc limit 1) as number,
       coalesce(jsonb_agg(jsonb_build_object('operationId', c.operation_id, 'number', c.number::text, 'withdrawalId', c.withdrawal_id,
           'isNumberWrong', c.is_number_wrong, 'isWithdrawalWrong', c.is_withdrawal_wrong, 'isInLedger', c.is_in_ledger)
           order by c.transaction_at, c.number)
         filter (where c.is_number_wrong or c.is_withdrawal_wrong or c.is_in_ledger), '[]') as faults
     from checked c`,
    [id, from.at, from.number, limit, lastNumber, userId, ledgerId, tailAt, tailNumber],
  );
  const { at, number, ...part } = row!;
  return { ...part, last: { at, number } };
}

/** The lists in which partners' withdrawals for a user are numbered. */
export async function selectWithdrawalLists(db: Db, userId: string): Promise<bigint[]> {
  const rows = await db.query<{ id: bigint }>(
    'select id from withdrawal_lists where user_id = $1 order by id',
    [userId],
  );
  return rows.map(({ id }) => id);
}

export interface WithdrawalPart {
  withdrawals: bigint;
  lastPosition: bigint;
  /** What the open ones among them hold. */
  holds: AssetSum[];
  faults: { id: string; status: string; isUnsettled: boolean; isInLedger: boolean }[];
}

/**
 * The next withdrawals of a list, and those that are in the wrong set: the unsettled ones, the ledger, or
 * none.
 */
export async function checkWithdrawalPart(
  db: Db,
  withdrawalListId: bigint,
  { unsettledId, ledgerId }: { unsettledId: bigint | null; ledgerId: bigint | null },
  after: bigint,
  limit: number,
): Promise<WithdrawalPart> {
  const [row] = await db.query<WithdrawalPart & Row>(
    `with part as materialized (
       select w.id, w.status, w.position, w.network, w.currency, w.amount
       from withdrawals w where w.list_id = $1 and w.position > $2 order by w.position limit $3
     ), held as (
       select p.network, p.currency, sum(p.amount)::text as amount
       from part p where p.status in ('pending', 'processing') group by p.network, p.currency
     ), checked as (
       select p.*, ((select u.list_id from ledger_unsettled u where u.withdrawal_id = p.id) = $4::bigint) is true as is_unsettled,
         (select u.list_id from ledger_unsettled u where u.withdrawal_id = p.id) is not null as is_anywhere,
         (select l.number from ledger_lines l where l.list_id = $5::bigint and l.operation_id = p.id::text limit 1)
           is not null as is_in_ledger
       from part p
     )
     select count(*) as withdrawals, max(c.position) as "lastPosition",
       coalesce((select jsonb_agg(h) from held h), '[]') as holds,
       coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'status', c.status,
           'isUnsettled', case when c.status = 'completed' then c.is_anywhere else c.is_unsettled end,
           'isInLedger', c.is_in_ledger) order by c.position)
         filter (where case when c.status = 'completed' then c.is_anywhere or not c.is_in_ledger
           else not c.is_unsettled end), '[]') as faults
     from checked c`,
    [withdrawalListId, after, limit, unsettledId, ledgerId],
  );
  return row!;
}
