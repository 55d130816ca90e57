import type { Db, Row } from '#platform/db/db';

// Every statement of this folder reads a bounded part, so that none comes near the longest that one may run.
// What is looked up for each row stands in a lateral or scalar subquery: a plain join might be planned as a
// scan of everybody's rows. Instants go out and come back as text, which keeps their microseconds and
// infinity; amounts go out as text, since a wrong one may be no number.

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

export const counted = (type: string) => `count(*) filter (where ${type} = 'buy') as buys,
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
