import type { Db, Row } from '#platform/db/db';

export interface CardAccount {
  id: string;
  userId: string;
  collateralAddress: string;
  /** In cents. */
  collateral: bigint;
  /** Of the last movement; 0 before the first. */
  lastSequence: number;
  createdAt: Date;
}

const accountColumns = `id, user_id as "userId", collateral_address as "collateralAddress", collateral,
  last_sequence as "lastSequence", created_at as "createdAt"`;

export async function selectAccount(db: Db, cardIssuerUserId: string): Promise<CardAccount | undefined> {
  const [row] = await db.query<CardAccount & Row>(
    `select ${accountColumns} from card_issuer_users where id = $1`,
    [cardIssuerUserId],
  );
  return row;
}

/** Oldest first. */
export async function selectAccounts(db: Db, userId: string): Promise<CardAccount[]> {
  return db.query<CardAccount & Row>(
    `select ${accountColumns} from card_issuer_users where user_id = $1 order by created_at, id`,
    [userId],
  );
}

/** The account whose card it was paid with. */
export async function selectTransactionAccount(db: Db, transactionId: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `select c.card_issuer_user_id as id from card_transactions x join cards c on c.id = x.card_id where x.id = $1`,
    [transactionId],
  );
  return row?.id;
}
