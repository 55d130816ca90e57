import type { Db, Row } from '#platform/db/db';
import type { CardWindow, Slice } from './page.ts';
import type { CardTransactionStatus } from './transactions.ts';

/** A change of the collateral behind cards. Amounts are US cents. */
export interface MovementView {
  id: string;
  cardIssuerUserId: string;
  action: 'deposit' | 'purchase' | 'refund' | 'adjustment';
  type: 'credit' | 'debit';
  status: string;
  /** Above zero, whichever way it went. */
  amountMinor: bigint;
  previousBalanceMinor: bigint;
  runningBalanceMinor: bigint;
  description: string;
  createdAt: Date;
}

/** With its payment as that is now; all null if it has none, or an unknown one. */
export interface PaymentMovementView extends MovementView {
  transactionId: string | null;
  transactionStatus: CardTransactionStatus | null;
  cardId: string | null;
  lastFourDigits: string | null;
}

export interface AccountMovements {
  cardIssuerUserId: string;
  total: number;
  movements: PaymentMovementView[];
}

const movementColumns = `m.id, m.card_issuer_user_id as "cardIssuerUserId", m.action, m.type, m.status, m.amount as "amountMinor",
  m.previous_balance as "previousBalanceMinor", m.running_balance as "runningBalanceMinor", m.description,
  m.created_at as "createdAt"`;

export async function selectMovementPage(
  db: Db,
  { userId, startAt, endAt }: { userId: string } & CardWindow,
  { offset, limit }: Slice,
): Promise<{ total: number; movements: MovementView[] }> {
  const rows = await db.query<MovementView & { total: bigint } & Row>(
    `select s.total, ${movementColumns}
     from card_locate($1, 'movements', null, $2::timestamptz, $3::timestamptz, $4::bigint) s
     left join lateral (
       select * from card_movements m
       where m.user_id = $1 and (m.created_at, m.number) < (s.upto_at, s.upto_number)
         and m.created_at >= coalesce($2::timestamptz, '-infinity')
       order by m.created_at desc, m.number desc limit $5::bigint) m on true
     order by m.created_at desc, m.number desc`,
    [userId, startAt ?? null, endAt ?? null, offset, limit],
  );
  return {
    total: Number(rows[0]?.total ?? 0),
    movements: rows.filter(({ id }) => id !== null).map(({ total, ...movement }) => movement),
  };
}

export async function selectMovementsByAccount(
  db: Db,
  { userId, startAt, endAt }: { userId: string } & CardWindow,
  { offset, limit }: Slice,
): Promise<AccountMovements[]> {
  const rows = await db.query<PaymentMovementView & { total: bigint; accountId: string } & Row>(
    `select a.id as "accountId", s.total, ${movementColumns}, x.id as "transactionId", x.status as "transactionStatus",
       x.card_id as "cardId", c.last_four_digits as "lastFourDigits"
     from card_issuer_users a
     cross join lateral card_locate(a.user_id, 'movements', a.id, $2::timestamptz, $3::timestamptz, $4::bigint) s
     left join lateral (
       select * from card_movements m
       where m.card_issuer_user_id = a.id and (m.created_at, m.number) < (s.upto_at, s.upto_number)
         and m.created_at >= coalesce($2::timestamptz, '-infinity')
       order by m.created_at desc, m.number desc limit $5::bigint) m on true
     left join card_transactions x on x.id = m.transaction_id and x.user_id = a.user_id
     left join cards c on c.id = x.card_id
     where a.user_id = $1
     order by a.created_at, a.id, m.created_at desc, m.number desc`,
    [userId, startAt ?? null, endAt ?? null, offset, limit],
  );
  return [...Map.groupBy(rows, ({ accountId }) => accountId)].map(([cardIssuerUserId, ofAccount]) => ({
    cardIssuerUserId,
    total: Number(ofAccount[0]!.total),
    movements: ofAccount.filter(({ id }) => id !== null).map(({ total, accountId, ...movement }) => movement),
  }));
}
