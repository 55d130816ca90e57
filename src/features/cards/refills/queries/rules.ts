import type { Db, Row } from '#platform/db/db';
import type { RefillCurrency } from '../states.ts';

export interface RefillRule {
  cardIssuerUserId: string;
  /** In US cents, as all amounts here. */
  threshold: bigint;
  amount: bigint;
  network: string;
  currency: RefillCurrency;
  isEnabled: boolean;
  createdAt: Date;
  updatedAt: Date;
}

const ruleColumns = `r.card_issuer_user_id as "cardIssuerUserId", r.threshold, r.amount, r.network, r.currency,
  r.is_enabled as "isEnabled", r.created_at as "createdAt", r.updated_at as "updatedAt"`;

/** Serialises changes of one account's rule until the end of the transaction. */
export async function lockRule(db: Db, cardIssuerUserId: string): Promise<RefillRule | undefined> {
  await db.query('select from card_issuer_users where id = $1 for no key update', [cardIssuerUserId]);
  const [row] = await db.query<RefillRule & Row>(
    `select ${ruleColumns} from card_refill_rules r where r.card_issuer_user_id = $1`,
    [cardIssuerUserId],
  );
  return row;
}

export async function upsertRule(
  db: Db,
  rule: Omit<RefillRule, 'createdAt' | 'updatedAt'>,
  now: Date,
): Promise<RefillRule> {
  const { cardIssuerUserId, threshold, amount, network, currency, isEnabled } = rule;
  const [row] = await db.query<RefillRule & Row>(
    `insert into card_refill_rules as r
       (card_issuer_user_id, threshold, amount, network, currency, is_enabled, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)
     on conflict (card_issuer_user_id) do update set threshold = excluded.threshold, amount = excluded.amount,
       network = excluded.network, currency = excluded.currency, is_enabled = excluded.is_enabled,
       updated_at = excluded.updated_at
     returning ${ruleColumns}`,
    [cardIssuerUserId, threshold, amount, network, currency, isEnabled, now],
  );
  return row!;
}

/** In the order of accounts. */
export async function selectRules(
  db: Db,
  { after, limit }: { after?: string; limit: number },
): Promise<RefillRule[]> {
  return db.query<RefillRule & Row>(
    `select ${ruleColumns} from card_refill_rules r where ($1::text is null or r.card_issuer_user_id > $1)
     order by r.card_issuer_user_id limit $2`,
    [after ?? null, limit],
  );
}
