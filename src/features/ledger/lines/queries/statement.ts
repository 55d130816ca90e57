import type { Db, Row } from '#platform/db/db';
import type { LineFilter } from '../line.ts';

export interface StatementAccount {
  accountId: bigint;
  network: string;
  currency: string;
  opening: bigint;
  closing: bigint;
}

export interface StatementSpan {
  listId: bigint;
  /** Lines with a higher number were posted later and do not belong to it. */
  lastNumber: bigint;
  /** The hash of the line with that number; null in a ledger without lines. */
  lastHash: Buffer | null;
  total: bigint;
  accounts: StatementAccount[];
}

/** The head of a statement, in one snapshot; undefined for a user without lines. */
export async function selectStatementSpan(
  db: Db,
  { userId, types, startAt, endAt }: LineFilter,
): Promise<StatementSpan | undefined> {
  const rows = await db.query<Omit<StatementSpan, 'accounts'> & StatementAccount & Row>(
    `select l.id as "listId", l.last_number as "lastNumber", l.last_hash as "lastHash", x.total, a.id as "accountId",
       a.network, a.currency, coalesce(o.balance, 0) as opening, coalesce(c.balance, 0) as closing
     from ledger_lists l
     cross join lateral ledger_locate(l, $2::ledger_line_type[], $3::timestamptz, $4::timestamptz, 0) x
     join ledger_accounts a on a.user_id = l.user_id
     left join lateral ledger_balances_before(l.id, array[a.id], coalesce($3::timestamptz, '-infinity'), 0) o on true
     left join lateral ledger_balances_before(l.id, array[a.id], coalesce($4::timestamptz, 'infinity'), 9223372036854775807) c on true
     where l.user_id = $1 and l.is_settled
     order by a.network, a.currency`,
    [userId, types, startAt ?? null, endAt ?? null],
  );
  const [first] = rows;
  if (!first) return undefined;
  const { listId, lastNumber, lastHash, total } = first;
  return { listId, lastNumber, lastHash, total, accounts: rows };
}

/** What the lines of a statement brought to an account and took from it. */
export interface StatementTotals {
  accountId: bigint;
  moneyIn: bigint;
  moneyOut: bigint;
  /** How many zeros every amount ends with, in base units. */
  zeros: number;
}

const legsOf = (side: 'received' | 'sent', sign: '' | '-') =>
  `select l.${side}_account_id as account_id, ${sign}l.${side}_amount as amount from ledger_lines l
   where l.list_id = $1 and l.type = any($2::ledger_line_type[]) and l.transaction_at >= $3 and l.transaction_at <= $4
     and l.number <= $5 and l.${side}_account_id is not null`;

const zerosOf = (amount: string) => `length(${amount}::text) - length(rtrim(${amount}::text, '0'))`;

/** Reads every line of the statement once, so only formats that show totals call it. */
export async function selectStatementTotals(
  db: Db,
  { listId, lastNumber }: StatementSpan,
  { types, startAt, endAt }: LineFilter,
): Promise<StatementTotals[]> {
  return db.query<StatementTotals & Row>(
    `select m.account_id as "accountId", coalesce(sum(m.amount) filter (where m.amount > 0), 0) as "moneyIn",
       coalesce(-sum(m.amount) filter (where m.amount < 0), 0) as "moneyOut", min(${zerosOf('m.amount')}) as zeros
     from (${legsOf('received', '')} union all ${legsOf('sent', '-')}) m group by m.account_id`,
    [listId, types, startAt ?? '-infinity', endAt ?? 'infinity', lastNumber],
  );
}

/** An account at both ends of a period, without lines that were posted after a cut. */
export interface CutAccount {
  /** Of the last line before the cut; null if the ledger has no such line. */
  hash: Buffer | null;
  network: string;
  currency: string;
  opening: bigint;
  closing: bigint;
}

const laterLegs = (side: 'received' | 'sent', sign: '' | '-') =>
  `select l.${side}_account_id as account_id, ${sign}l.${side}_amount as amount, l.transaction_at from ledger_lines l
   where l.list_id = (select id from list) and l.number > $4 and l.${side}_account_id is not null`;

/** Reads the lines that were posted after the cut, which is a range of their primary key. */
export async function selectAccountsAtCut(
  db: Db,
  { userId, startAt, endAt, lastNumber }: Omit<LineFilter, 'types'> & { lastNumber: bigint },
): Promise<CutAccount[]> {
  return db.query<CutAccount & Row>(
    `with list as (select id from ledger_lists where user_id = $1 and is_settled),
     later as (
       select m.account_id, sum(m.amount) filter (where m.transaction_at < coalesce($2::timestamptz, '-infinity')) as before_start,
         sum(m.amount) filter (where m.transaction_at <= coalesce($3::timestamptz, 'infinity')) as before_end
       from (${laterLegs('received', '')} union all ${laterLegs('sent', '-')}) m group by m.account_id)
     select h.hash, a.network, a.currency, coalesce(o.balance, 0) - coalesce(t.before_start, 0) as opening,
       coalesce(c.balance, 0) - coalesce(t.before_end, 0) as closing
     from list
     join ledger_accounts a on a.user_id = $1
     left join ledger_lines h on h.list_id = list.id and h.number = $4
     left join later t on t.account_id = a.id
     left join lateral ledger_balances_before(list.id, array[a.id], coalesce($2::timestamptz, '-infinity'), 0) o on true
     left join lateral ledger_balances_before(list.id, array[a.id], coalesce($3::timestamptz, 'infinity'), 9223372036854775807) c on true
     order by a.network, a.currency`,
    [userId, startAt ?? null, endAt ?? null, lastNumber],
  );
}

export interface MovementQuestion {
  userId: string;
  currency: string;
  startAt?: Date;
  /** Inclusive. */
  endAt?: Date;
}

export async function selectHasMovement(
  db: Db,
  { userId, currency, startAt, endAt }: MovementQuestion,
): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    `select exists (
       select from ledger_accounts a
       where a.user_id = $1 and a.currency = $2 and exists (
         select from ledger_movements m where m.account_id = a.id
           and m.transaction_at >= coalesce($3, '-infinity'::timestamptz)
           and m.transaction_at <= coalesce($4, 'infinity'::timestamptz))
     ) as found`,
    [userId, currency, startAt, endAt],
  );
  return row!.found;
}
