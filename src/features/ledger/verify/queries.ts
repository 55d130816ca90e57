import type { Db, Row } from '#platform/db/db';

// Every statement here reads a bounded part, so that none comes near the longest that one may run. What is looked up for each row
// stands in a lateral or scalar subquery: a plain join might be planned as a scan of everybody's rows. Instants go out and come
// back as text, which keeps their microseconds and infinity; amounts go out as text, since a wrong one may be no number.

/** What follows in this transaction sees the database as it is now, however long it takes and whoever posts meanwhile. */
export async function freezeView(db: Db): Promise<void> {
  await db.query('set transaction isolation level repeatable read, read only');
}

/** The next users, in order of id. */
export async function selectUserIds(db: Db, after: string | undefined, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>('select id from users where id > $1 order by id limit $2', [
    after ?? '00000000-0000-0000-0000-000000000000',
    limit,
  ]);
  return rows.map(({ id }) => id);
}

/** A place in a list; the next part begins after it. */
export interface Place {
  at: string;
  number: bigint;
}

/** Before everything that a list may hold, or should not hold. */
export const noPlace: Place = { at: '-infinity', number: -9_223_372_036_854_775_808n };

/** How many lines of each type. */
export interface Counts {
  buys: bigint;
  sells: bigint;
  swaps: bigint;
  transfers: bigint;
}

const counted = (type: string) => `count(*) filter (where ${type} = 'buy') as buys,
  count(*) filter (where ${type} = 'sell') as sells, count(*) filter (where ${type} = 'swap-bridge') as swaps,
  count(*) filter (where ${type} = 'transfer-token') as transfers`;

export interface ListRow extends Counts {
  id: bigint;
  isSettled: boolean;
  lastNumber: bigint;
  lastHash: Buffer | null;
  firstHash: Buffer;
  tailAt: string;
  tailNumber: bigint;
  tailSize: bigint;
}

/** A user's ledger and their unsettled records, as far as there are any. */
export async function selectLists(db: Db, userId: string): Promise<ListRow[]> {
  return db.query<ListRow & Row>(
    `select id, is_settled as "isSettled", last_number as "lastNumber", last_hash as "lastHash",
       ledger_first_hash(user_id) as "firstHash", buys, sells, swaps, transfers, tail_at::text as "tailAt",
       tail_number as "tailNumber", tail_size::bigint as "tailSize"
     from ledger_lists where user_id = $1`,
    [userId],
  );
}

// ## Lines

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

/** The next lines in the order in which they were posted, their hashes computed anew, and those that are wrong. */
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

// ## Nodes

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

/** Of the nodes of a level from one place to another, both included: what a user's accounts did not move within them. */
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

// ## Accounts

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

// ## Postings

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

// ## What is not settled

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

/** The next withdrawals of a list, and those that are in the wrong set: the unsettled ones, the ledger, or none. */
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
