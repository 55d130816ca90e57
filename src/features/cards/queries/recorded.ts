import type { Db, Row } from '#platform/db/db';
import type { ShownCard } from '../lists/queries/cards.ts';
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

/** Lateral, so that PostgreSQL reads them by index. */
const asRecorded = (table: string) =>
  `jsonb_array_elements($1::jsonb) with ordinality as r (one, place)
   cross join lateral (select now from ${table} now where now.id = r.one->>'id' offset 0) n
   cross join lateral jsonb_populate_record(n.now, r.one->'facts')`;

export async function selectCardsAsRecorded(
  db: Db,
  recorded: readonly Recorded[],
): Promise<(ShownCard & { place: bigint })[]> {
  return db.query<ShownCard & { place: bigint } & Row>(
    `select r.place, c.id, c.nickname, c.last_four_digits as "lastFourDigits", c.status, c.spending_limit as "spendingLimitMinor",
       c.spending_interval as "spendingInterval"
     from ${asRecorded('cards')} c`,
    [JSON.stringify(recorded)],
  );
}

/** With the card as it is now. */
export async function selectTransactionsAsRecorded(
  db: Db,
  recorded: readonly Recorded[],
): Promise<(UserTransactionView & { place: bigint })[]> {
  const rows = await db.query<TransactionRow & { place: bigint } & Row>(
    `select r.place, 0::bigint as total, ${transactionColumns}, ${cardColumns}
     from ${asRecorded('card_transactions')} t join cards c on c.id = t.card_id`,
    [JSON.stringify(recorded)],
  );
  return toTransactions(rows).map((view, at) => ({ ...view, place: rows[at]!.place }));
}
