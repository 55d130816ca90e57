import type { Db, Row } from '#platform/db/db';
import { type LineRow, type LineType, lineTypes } from '../lines/line.ts';
import { packLines } from '../lines/queries/columns.ts';
import { type PackedLines, unpackLines } from '../lines/unpack-lines.ts';
import { type Knowledge, type Sorting, sortings } from './filter.ts';

export interface FilterAccount {
  id: bigint;
  network: string;
  currency: string;
}

export async function selectAccounts(db: Db, userId: string): Promise<FilterAccount[]> {
  return db.query<FilterAccount & Row>(
    'select id, network, currency from ledger_accounts where user_id = $1 order by currency, network',
    [userId],
  );
}

/** A filter by what lists are indexed and counted by. */
export interface AccountFilter {
  userId: string;
  types: readonly LineType[];
  asset?: string | undefined;
  network?: string | undefined;
  direction?: 'in' | 'out' | undefined;
  startAt?: Date | undefined;
  endAt?: Date | undefined;
}

export interface PageRequest {
  offset: number;
  limit: number;
  oldestFirst: boolean;
}

/** What matching lines moved of an account. */
export interface AccountSum {
  accountId: bigint;
  sending: number;
  sent: bigint;
  receiving: number;
  received: bigint;
  /** How much of these in conversions. */
  sentByConversion: bigint;
  receivedByConversion: bigint;
}

export interface FoundLines {
  total: number;
  sums: AccountSum[];
  lines: LineRow[];
  /** Every account of the user at that moment. */
  accounts: FilterAccount[];
}

interface FoundRow extends PackedLines {
  total: bigint | null;
  sums: string | null;
  accounts: string | null;
}

const order = (isOldest: string) =>
  `order by case when ${isOldest} then l.transaction_at end, case when ${isOldest} then l.number end,
     l.transaction_at desc, l.number desc`;

const found = `select f.total, f.sums, f.accounts, p.*
  from ledger_find($1, $2::ledger_line_type[], $3, $4, $5, $6::timestamptz, $7::timestamptz, $8::bigint, $9::bigint,
    $10::boolean) f
  cross join lateral (select ${packLines(order('$10::boolean'))} from unnest(f.lines) l) p`;

/** Any page costs the same; see `ledger_find`. */
export async function selectFound(
  db: Db,
  { userId, types, asset, network, direction, startAt, endAt }: AccountFilter,
  { offset, limit, oldestFirst }: PageRequest,
): Promise<FoundLines> {
  const [row] = await db.query<FoundRow & Row>(found, [
    userId,
    types,
    asset ?? null,
    network ?? null,
    direction ?? null,
    startAt ?? null,
    endAt ?? null,
    offset,
    limit,
    oldestFirst,
  ]);
  return unpackFound(row!);
}

const unpackFound = (row: FoundRow): FoundLines => ({
  total: Number(row.total ?? 0),
  sums: unpackSums(row.sums ?? ''),
  lines: unpackLines(row),
  accounts: unpackAccounts(row.accounts ?? ''),
});

/** Names of networks and currencies have no blanks in them. */
function unpackAccounts(names: string): FilterAccount[] {
  const all = names.split(' ');
  const accounts: FilterAccount[] = [];
  for (let at = 0; at + 2 < all.length; at += 3) {
    accounts.push({ id: BigInt(all[at]!), network: all[at + 1]!, currency: all[at + 2]! });
  }
  return accounts;
}

function unpackSums(figures: string): AccountSum[] {
  const all = figures.split(' ');
  const sums: AccountSum[] = [];
  for (let at = 0; at + 6 < all.length; at += 7) {
    sums.push({
      accountId: BigInt(all[at]!),
      sending: Number(all[at + 1]),
      sent: BigInt(all[at + 2]!),
      receiving: Number(all[at + 3]),
      received: BigInt(all[at + 4]!),
      sentByConversion: BigInt(all[at + 5]!),
      receivedByConversion: BigInt(all[at + 6]!),
    });
  }
  return sums;
}

/** Nobody sees more of another user's email than this. */
const shownEmail = (email: string) => `regexp_replace(${email}, '^([^@])[^@]*', '\\1…')`;

/** Folds a text of only ASCII, as most are, 23 times as fast (`npm run bench -- shortcuts statements`). */
const folded = (text: string) =>
  `case when octet_length(${text}) = length(${text}) then lower(${text} collate "C") else card_fold(${text}) end`;

/** A regular expression takes 4.4 times as long (`npm run bench -- shortcuts statements`). */
const withdrawalId = (l: string) =>
  `case when length(${l}.operation_id) = 36 and pg_input_is_valid(${l}.operation_id, 'uuid') then ${l}.operation_id::uuid end`;

/** The other user of a transfer; none if an operation has several, or more lines than a transfer has. */
const otherOf = (l: string) => `select max(h.user_id::text)::uuid as user_id
  from (select * from ledger_lines t where t.posting_id = ${l}.posting_id and t.operation_id = ${l}.operation_id
    and t.type = 'transfer-token' limit 9) o
  join ledger_lists h on h.id = o.list_id and h.id <> ${l}.list_id
  where (o.received_amount, (select (a.network, a.currency) from ledger_accounts a where a.id = o.received_account_id))
      = (${l}.sent_amount, (select (a.network, a.currency) from ledger_accounts a where a.id = ${l}.sent_account_id))
    or (o.sent_amount, (select (a.network, a.currency) from ledger_accounts a where a.id = o.sent_account_id))
      = (${l}.received_amount, (select (a.network, a.currency) from ledger_accounts a where a.id = ${l}.received_account_id))
  having count(distinct h.user_id) = 1 and count(*) < 9`;

const partyText = (
  l: string,
) => `(select concat(case when w.user_id = $1 then w.to_address end, ' ', ${shownEmail('u.email')})
    from withdrawals w left join users u on u.id = case when w.user_id = $1 then w.recipient_user_id else w.user_id end
    where w.id = ${withdrawalId(l)}
    union all
    select ${shownEmail('u.email')} from (${otherOf(l)}) o join users u on u.id = o.user_id where ${l}.type = 'transfer-token'
    limit 1)`;

// Parameters: user, types, asset, network, direction, start, end, how many lines are looked at, the assets
// that have their own scale and these scales, the least amount, the text, offset, limit.
const columns = `l.number, l.transaction_at, l.type, l.posting_id, l.list_id, l.operation_id, l.sent_account_id, l.sent_amount,
  l.received_account_id, l.received_amount, l.description, l.user_description`;

function candidates(isByAccount: boolean, direction: '' | 'desc'): string {
  const inOrder = (m: string) => `order by ${m}.transaction_at ${direction}, ${m}.number ${direction}`;
  if (!isByAccount) {
    // Type by type, because the index begins with it; PostgreSQL then reads no more than the limit in all.
    const ofType = (type: LineType) => `(select ${columns} from ledger_lines l
        where '${type}' = any ($2::ledger_line_type[]) and l.list_id = (select id from list) and l.type = '${type}'
          and l.transaction_at >= $6::timestamptz and l.transaction_at <= $7::timestamptz ${inOrder('l')} limit $8)`;
    return `select * from (${lineTypes.map(ofType).join(' union all ')}) l ${inOrder('l')} limit $8`;
  }
  return `select ${columns} from (
      select distinct m.transaction_at, m.number from accounts a cross join lateral (
        select m.transaction_at, m.number from ledger_movements m where m.account_id = a.id
          and m.transaction_at >= $6::timestamptz and m.transaction_at <= $7::timestamptz ${inOrder('m')} limit $8) m
      where a.is_meant ${inOrder('m')} limit $8) m
    cross join lateral (select * from ledger_lines s where s.list_id = (select id from list) and s.number = m.number offset 0) l
    ${inOrder('m')}`;
}

const searched = (isByAccount: boolean, sorting: Sorting) => {
  const direction = sorting === 'oldest' ? '' : 'desc';
  const inOrder = (l: string) => `order by ${l}.transaction_at ${direction}, ${l}.number ${direction}`;
  const shown =
    sorting === 'largest' ? 'order by f.largest desc, f.transaction_at desc, f.number desc' : inOrder('f');
  return `with list as materialized (select id from ledger_lists where user_id = $1 and is_settled),
   words as materialized (select card_fold($13::text) as folded),
   accounts as materialized (
     select a.id, a.network, a.currency, coalesce(s.scale, 1000000000000) as scale,
       a.currency = coalesce($3, a.currency) and a.network = coalesce($4, a.network) as is_meant
     from ledger_accounts a left join unnest($9::text[], $10::text[], $11::numeric[]) as s (network, currency, scale)
       on s.network = a.network and s.currency = a.currency
     where a.user_id = $1),
   looked as materialized (${candidates(isByAccount, direction)}),
   matched as materialized (
     select l.*, case when s.is_meant and $5::text is distinct from 'in' and l.sent_amount * s.scale >= $12::numeric
         then l.sent_amount end as sent,
       case when r.is_meant and $5::text is distinct from 'out' and l.received_amount * r.scale >= $12::numeric
         then l.received_amount end as received,
       s.scale as sent_scale, r.scale as received_scale
     from looked l left join accounts s on s.id = l.sent_account_id left join accounts r on r.id = l.received_account_id
     where l.type = any ($2::ledger_line_type[])
   ), found as materialized (
     select m.*, greatest(m.sent * m.sent_scale, m.received * m.received_scale) as largest from matched m
     where num_nonnulls(m.sent, m.received) > 0 and ($13::text is null
       or strpos(${folded(`concat(m.description, ' ', m.user_description)`)}, (select w.folded from words w)) > 0
       or (m.type = 'transfer-token' or length(m.operation_id) = 36) and strpos(card_fold(${partyText('m')}), (select w.folded from words w)) > 0)
   ), page as (
     select row_number() over (${shown}) as place, f.number from (select * from found f ${shown} offset $14 limit $15) f
   )
   select (select count(*) from found) as total, (
       select string_agg(concat_ws(' ', a.id, a.sending, a.sent, a.receiving, a.received, a.swapped_out, a.swapped_in), ' ') from (
         select m.id, sum(m.sending) as sending, sum(m.sent) as sent, sum(m.receiving) as receiving, sum(m.received) as received,
           sum(m.swapped_out) as swapped_out, sum(m.swapped_in) as swapped_in
         from (
           select f.sent_account_id as id, count(*) as sending, sum(f.sent) as sent, 0 as receiving, 0 as received,
               coalesce(sum(f.sent) filter (where f.type = 'swap-bridge'), 0) as swapped_out, 0 as swapped_in
             from found f where f.sent is not null group by f.sent_account_id
           union all
           select f.received_account_id, 0, 0, count(*), sum(f.received), 0,
               coalesce(sum(f.received) filter (where f.type = 'swap-bridge'), 0)
             from found f where f.received is not null group by f.received_account_id) m
         group by m.id) a) as sums,
     (select string_agg(concat_ws(' ', a.id, a.network, a.currency), ' ') from accounts a) as accounts,
     (select count(*) from looked) as looked,
     (select l.transaction_at from looked l order by l.transaction_at ${direction === '' ? 'desc' : ''} limit 1) as "lastAt", p.*
   from (
     select ${packLines('order by l.place')} from (
       select g.place, s.* from page g cross join lateral (
         select * from ledger_lines s where s.list_id = (select id from list) and s.number = g.number offset 0) s) l
   ) p`;
};

const searchTexts = new Map(
  sortings.flatMap((sorting) =>
    [true, false].map(
      (isByAccount) => [`${sorting} ${isByAccount}`, searched(isByAccount, sorting)] as const,
    ),
  ),
);

export interface SearchRequest {
  offset: number;
  limit: number;
  sorting: Sorting;
  /** What makes amounts of these assets comparable with those of others; other assets have six decimals. */
  scales: readonly { network: string; currency: string; scale: bigint }[];
  /** In the scale of all. */
  minAmount: bigint;
  text: string | undefined;
  /** How many lines are looked at. */
  most: number;
}

export interface SearchedLines extends FoundLines {
  /** The end of what was searched; undefined if everything was. */
  searchedTo: Date | undefined;
}

/** Looks at each line, at most at `most`: of some assets or networks, at what moves these. */
export async function searchLines(
  db: Db,
  { userId, types, asset, network, direction, startAt, endAt }: AccountFilter,
  { offset, limit, sorting, scales, minAmount, text, most }: SearchRequest,
): Promise<SearchedLines> {
  const isByAccount = asset !== undefined || network !== undefined;
  const [row] = await db.query<FoundRow & { looked: bigint; lastAt: Date | null } & Row>(
    searchTexts.get(`${sorting} ${isByAccount}`)!,
    [
      userId,
      types,
      asset ?? null,
      network ?? null,
      direction ?? null,
      startAt ?? '-infinity',
      endAt ?? 'infinity',
      // One more, to know whether there are more.
      most + 1,
      scales.map((one) => one.network),
      scales.map((one) => one.currency),
      scales.map((one) => one.scale),
      minAmount,
      text ?? null,
      offset,
      limit,
    ],
  );
  const { looked, lastAt } = row!;
  return { ...unpackFound(row!), searchedTo: looked > most ? lastAt! : undefined };
}

/** Who is on the other side of a line, as its user may see it, and what it was worth. */
export interface FactsRow {
  number: bigint;
  address: string | null;
  /** The beginning of it. */
  email: string | null;
  /** Whether the user asked for the payment. */
  isOwn: boolean;
  isCardRefill: boolean;
  /** In dollars, of what came in, else of what went out; null if no price of that day is known. */
  price: string | null;
}

const facts = `select l.number, case when w.user_id = $1 then w.to_address end as address, ${shownEmail('u.email')} as email,
    coalesce(w.user_id = $1, false) as "isOwn", r.id is not null as "isCardRefill",
    p.price::text as price
  from ledger_lists h cross join unnest($2::bigint[]) as n (number)
  cross join lateral (select * from ledger_lines s where s.list_id = h.id and s.number = n.number offset 0) l
  left join withdrawals w on w.id = ${withdrawalId('l')}
  left join card_refills r on r.withdrawal_id = w.id and w.user_id = $1
  left join lateral (${otherOf('l')}) o on l.type = 'transfer-token'
  left join users u on u.id = coalesce(case when w.user_id = $1 then w.recipient_user_id else w.user_id end, o.user_id)
  left join lateral (
    select q.price from ledger_accounts a join prices_by_hour q on q.token = a.currency
    where a.id = coalesce(l.received_account_id, l.sent_account_id) and q.hour <= l.transaction_at
      and q.hour > l.transaction_at - interval '1 day'
    order by q.hour desc limit 1) p on true
  where h.user_id = $1 and h.is_settled`;

export async function selectFacts(db: Db, userId: string, numbers: readonly bigint[]): Promise<FactsRow[]> {
  return db.query<FactsRow & Row>(facts, [userId, numbers]);
}

/** By withdrawal: who the user pays with those that are not settled, as the user may see it. */
export async function selectPayees(
  db: Db,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, Knowledge>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; address: string; email: string | null; isCardRefill: boolean }>(
    `select w.id, w.to_address as address, ${shownEmail('u.email')} as email, r.id is not null as "isCardRefill"
     from withdrawals w left join users u on u.id = w.recipient_user_id left join card_refills r on r.withdrawal_id = w.id
     where w.user_id = $1 and w.id = any ($2::uuid[])`,
    [userId, ids],
  );
  return new Map(
    rows.map(({ id, address, email, isCardRefill }) => [
      id,
      {
        kind: isCardRefill ? 'card-refill' : 'withdrawal',
        counterparty: { address, ...(email !== null && { email }) },
      },
    ]),
  );
}

const legs = `select ${packLines('order by l.transaction_at desc, l.number desc')} from (
    select s.* from ledger_lists h, unnest($2::text[]) as o (id) cross join lateral (
      select * from ledger_lines s where s.list_id = h.id and s.operation_id = o.id offset 0) s
    where h.user_id = $1 and h.is_settled and s.type = 'swap-bridge') l`;

/** Every leg of some conversions between networks. */
export async function selectLegs(
  db: Db,
  userId: string,
  operationIds: readonly string[],
): Promise<LineRow[]> {
  const [row] = await db.query<PackedLines & Row>(legs, [userId, operationIds]);
  return unpackLines(row!);
}

/** The unsettled withdrawals of a user that were signed as a transaction. */
export async function selectUnsettledOfTransaction(
  db: Db,
  userId: string,
  transactionHash: string,
): Promise<string[]> {
  const rows = await db.query<{ operationId: string }>(
    `select u.operation_id as "operationId" from payout_attempts a
     join payout_slots s on s.network = a.network and s.address = a.address and s.nonce = a.nonce
     join withdrawals w on w.id = s.withdrawal_id and w.user_id = $1
     join ledger_unsettled u on u.withdrawal_id = w.id
     where a.hash = $2 and not a.is_void`,
    [userId, transactionHash],
  );
  return rows.map(({ operationId }) => operationId);
}
