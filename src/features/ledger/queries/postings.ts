import type { Db } from '#platform/db/db';
import type { OnChain } from '../lines/line.ts';
import { keyOf } from './post.ts';

/** A transfer on a network, by its place there. */
export interface NetworkPlace extends OnChain {
  network: string;
}

const placeColumns = (places: readonly NetworkPlace[]) => [
  places.map(({ network }) => network),
  places.map(keyOf),
];

/** Those of the transfers that were credited to a user, as `network:key`. */
export async function selectCredited(db: Db, places: readonly NetworkPlace[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>(
    `select c.network || ':' || c.key as name from unnest($1::text[], $2::text[]) as p (network, key)
     join ledger_credits c on c.network = p.network and c.key = p.key`,
    placeColumns(places),
  );
  return new Set(rows.map(({ name }) => name));
}

/** Notes transfers whose lines have another key; those with their place as the key are noted by a trigger. */
export async function insertCredits(db: Db, places: readonly NetworkPlace[]): Promise<void> {
  if (places.length === 0) return;
  await db.query(
    'insert into ledger_credits (network, key) select * from unnest($1::text[], $2::text[])',
    placeColumns(places),
  );
}

/** Those of the places that a line of the user has as its key, on whatever network, as `userId key`. */
export async function selectTakenKeys(
  db: Db,
  lines: readonly (OnChain & { userId: string })[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>(
    `select k.user_id || ' ' || k.key as name
     from unnest($1::uuid[], $2::text[]) as k (user_id, key)
     join ledger_lists h on h.user_id = k.user_id and h.is_settled
     join ledger_lines l on l.list_id = h.id and l.unique_hash_id = k.key`,
    [lines.map(({ userId }) => userId), lines.map(keyOf)],
  );
  return new Set(rows.map(({ name }) => name));
}

export async function selectPostingByKey(
  db: Db,
  kind: string,
  key: string,
): Promise<{ id: bigint; fingerprint: Buffer | null } | undefined> {
  const [row] = await db.query<{ id: bigint; fingerprint: Buffer | null }>(
    'select id, fingerprint from ledger_postings where kind = $1 and operation_id = $2',
    [kind, key],
  );
  return row;
}

export interface Funding {
  postingId: bigint;
  /** What it brought to this user; null where it was another's. */
  network: string | null;
  currency: string | null;
  amount: bigint | null;
}

/** The posting of a reference, and what it brought to a user. */
export async function selectFunding(db: Db, reference: string, userId: string): Promise<Funding | undefined> {
  const [row] = await db.query<Funding & Record<string, unknown>>(
    `select p.id as "postingId", a.network, a.currency, l.received_amount as amount
     from ledger_postings p
     left join ledger_lists h on h.user_id = $2 and h.is_settled
     left join ledger_lines l on l.list_id = h.id and l.operation_id = p.operation_id and l.posting_id = p.id
     left join ledger_accounts a on a.id = l.received_account_id
     where p.kind = 'fund' and p.operation_id = $1`,
    [reference, userId],
  );
  return row;
}
