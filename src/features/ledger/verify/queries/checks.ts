import type { Db, Row } from '#platform/db/db';
import type { ListRow } from './lists.ts';

/** What is stored about the last check of a ledger or of all postings. */
export async function selectCheck(db: Db, subject: string): Promise<Buffer | undefined> {
  const [row] = await db.query<{ sealed: Buffer }>('select sealed from ledger_checks where subject = $1', [
    subject,
  ]);
  return row?.sealed;
}

/** Two checks at once may save the older one last: the next check then reads more lines. */
export async function saveCheck(db: Db, subject: string, sealed: Buffer, now: Date): Promise<void> {
  await db.query(
    `insert into ledger_checks (subject, sealed, checked_at) values ($1, $2, $3)
     on conflict (subject) do update set sealed = excluded.sealed, checked_at = excluded.checked_at`,
    [subject, sealed, now],
  );
}

/** By account id. As text: behind our back a balance may become NaN, which no BigInt holds. */
export type Accounts = Readonly<Record<string, { asset: string; balance: string }>>;

export interface HeadRow {
  userId: string;
  /** Null for a user without a ledger. */
  ledger: Pick<ListRow, 'id' | 'lastNumber' | 'lastHash' | 'buys' | 'sells' | 'swaps' | 'transfers'> | null;
  /** Of its lines, whatever the ledger says of itself. */
  lastLine: { number: bigint; hash: Buffer } | null;
  accounts: Accounts;
  sealed: Buffer | null;
  /** The last check of its new lines, or of this head, found a fault. */
  isFaulty: boolean;
}

/** The next users, in order of id: where their ledgers end, what they have, and their last checks. */
export async function selectHeads(db: Db, after: string | undefined, limit: number): Promise<HeadRow[]> {
  const rows = await db.query<Row>(
    `select u.id as "userId", l.id, l.last_number as "lastNumber", l.last_hash as "lastHash", l.buys, l.sells, l.swaps, l.transfers,
       (select coalesce(jsonb_object_agg(a.id, jsonb_build_object('asset', a.currency || ' on ' || a.network, 'balance', a.balance::text)), '{}')
        from ledger_accounts a where a.user_id = u.id) as accounts, n.number, n.hash,
       (select c.sealed from ledger_checks c where c.subject = 'list:' || l.id) as sealed,
       exists (select from ledger_verdicts v where v.subject = u.id::text and v.fault_count > 0 and v.since_last) as "isFaulty"
     from (select id from users where id > $1 order by id limit $2) u
     left join lateral (select * from ledger_lists l where l.user_id = u.id and l.is_settled limit 1) l on true
     left join lateral (select number, hash from ledger_lines n where n.list_id = l.id order by n.number desc limit 1) n on true
     order by u.id`,
    [after ?? '00000000-0000-0000-0000-000000000000', limit],
  );
  return rows.map(({ userId, accounts, number, hash, sealed, isFaulty, ...ledger }) => ({
    userId: userId as string,
    ledger: ledger.id === null ? null : (ledger as unknown as NonNullable<HeadRow['ledger']>),
    lastLine: number === null ? null : { number: number as bigint, hash: hash as Buffer },
    accounts: accounts as Accounts,
    sealed: sealed as Buffer | null,
    isFaulty: isFaulty as boolean,
  }));
}

/** The stored hash of a line. */
export async function selectLineHash(db: Db, listId: bigint, number: bigint): Promise<Buffer | undefined> {
  const [row] = await db.query<{ hash: Buffer }>(
    'select hash from ledger_lines where list_id = $1 and number = $2',
    [listId, number],
  );
  return row?.hash;
}

/** What the lines of a ledger after a number and up to another one move, by account. */
export async function sumLinePart(
  db: Db,
  listId: bigint,
  after: bigint,
  upto: bigint,
): Promise<{ accountId: string; amount: string }[]> {
  return db.query<{ accountId: string; amount: string }>(
    `select m.account_id::text as "accountId", sum(m.amount)::text as amount
     from ledger_lines l,
       lateral (values (l.received_account_id, l.received_amount), (l.sent_account_id, -l.sent_amount)) as m (account_id, amount)
     where l.list_id = $1 and l.number > $2 and l.number <= $3 and m.account_id is not null
     group by m.account_id`,
    [listId, after, upto],
  );
}

/** The last posting up to an id, or of all, that was made before an instant. */
export async function selectPostingBefore(db: Db, upto: bigint | null, before: Date): Promise<bigint | null> {
  const [row] = await db.query<{ id: bigint | null }>(
    'select max(id) as id from ledger_postings where ($1::bigint is null or id <= $1) and posted_at < $2',
    [upto, before],
  );
  return row!.id;
}

/** A posting whose id the table's sequence has not given yet: it would be taken for the last one. */
export async function selectPostingBeyond(db: Db): Promise<bigint | null> {
  const [row] = await db.query<{ id: bigint | null }>(
    `select max(id) as id from ledger_postings
     where id > coalesce(pg_sequence_last_value('ledger_postings_id_seq'), 0)`,
  );
  return row!.id;
}
