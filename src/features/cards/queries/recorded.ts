import type { Db, Row } from '#platform/db/db';
import type { ShownCard } from '../lists/list-cards.ts';
import {
  cardColumns,
  type TransactionRow,
  toTransactions,
  transactionColumns,
  type UserTransactionView,
} from '../lists/queries/transactions.ts';

/** A row as it was at a change: `facts` has the columns that later changes replace. */
interface Recorded {
  id: string;
  facts: object;
}

const asRecorded = (table: string) =>
  `jsonb_array_elements($1::jsonb) with ordinality as r (one, place) join ${table} now on now.id = r.one->>'id'
   cross join lateral jsonb_populate_record(now, r.one->'facts')`;

/** In this order. */
export async function selectCardsAsRecorded(db: Db, recorded: readonly Recorded[]): Promise<ShownCard[]> {
  return db.query<ShownCard & Row>(
    `select c.id, c.nickname, c.last_four_digits as "lastFourDigits", c.status, c.spending_limit as "spendingLimitMinor",
       c.spending_interval as "spendingInterval"
     from ${asRecorded('cards')} c order by r.place`,
    [JSON.stringify(recorded)],
  );
}

/** In this order, with the card as it is now. */
export async function selectTransactionsAsRecorded(
  db: Db,
  recorded: readonly Recorded[],
): Promise<UserTransactionView[]> {
  const rows = await db.query<TransactionRow & Row>(
    `select 0::bigint as total, ${transactionColumns}, ${cardColumns}
     from ${asRecorded('card_transactions')} t join cards c on c.id = t.card_id order by r.place`,
    [JSON.stringify(recorded)],
  );
  return toTransactions(rows);
}
