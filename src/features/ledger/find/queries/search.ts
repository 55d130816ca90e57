import type { Db, Row } from '#platform/db/db';
import { type LineType, lineTypes } from '../../lines/line.ts';
import { packLines } from '../../lines/queries/columns.ts';
import { type Sorting, sortings } from '../filter.ts';
import { type AccountFilter, type FoundLines, type FoundRow, unpackFound } from './found.ts';
import { otherOf, shownEmail, withdrawalId } from './parties.ts';

/** Folds a text of only ASCII, as most are, 23 times as fast (`npm run bench -- shortcuts statements`). */
const folded = (text: string) =>
  `case when octet_length(${text}) = length(${text}) then lower(${text} collate "C") else card_fold(${text}) end`;

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
