import type { Db, Row } from '#platform/db/db';
import type { Knowledge } from '../filter.ts';

/** Nobody sees more of another user's email than this. */
export const shownEmail = (email: string) => `regexp_replace(${email}, '^([^@])[^@]*', '\\1…')`;

/** A regular expression takes 4.4 times as long (`npm run bench -- shortcuts statements`). */
export const withdrawalId = (l: string) =>
  `case when length(${l}.operation_id) = 36 and pg_input_is_valid(${l}.operation_id, 'uuid') then ${l}.operation_id::uuid end`;

/** The other user of a transfer; none if an operation has several, or more lines than a transfer has. */
export const otherOf = (l: string) => `select max(h.user_id::text)::uuid as user_id
  from (select * from ledger_lines t where t.posting_id = ${l}.posting_id and t.operation_id = ${l}.operation_id
    and t.type = 'transfer-token' limit 9) o
  join ledger_lists h on h.id = o.list_id and h.id <> ${l}.list_id
  where (o.received_amount, (select (a.network, a.currency) from ledger_accounts a where a.id = o.received_account_id))
      = (${l}.sent_amount, (select (a.network, a.currency) from ledger_accounts a where a.id = ${l}.sent_account_id))
    or (o.sent_amount, (select (a.network, a.currency) from ledger_accounts a where a.id = o.sent_account_id))
      = (${l}.received_amount, (select (a.network, a.currency) from ledger_accounts a where a.id = ${l}.received_account_id))
  having count(distinct h.user_id) = 1 and count(*) < 9`;

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
