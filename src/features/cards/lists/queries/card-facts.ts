// Parts of SQL that queries of cards share.

interface Spending {
  /** Alias of a row with `id` and `spending_interval`. */
  card: string;
  /** The instant whose interval counts. */
  at: string;
  /** Later transactions do not count. */
  upto: string;
}

/**
 * What was spent with a card in the current interval, in UTC; weeks begin on Monday. A refund of an earlier
 * purchase may make it negative. It counts transactions by their current status, because earlier statuses are
 * not stored.
 */
export const spentIn = ({ card, at, upto }: Spending) => `(
  select coalesce(sum(case t.type when 'refund' then -t.amount else t.amount end), 0)::bigint
  from card_transactions t
  where t.card_id = ${card}.id and t.status in ('pending', 'settled') and t.created_at <= ${upto}
    and t.created_at >= case ${card}.spending_interval
      when 'all-time' then '-infinity'
      else date_trunc(case ${card}.spending_interval when 'daily' then 'day' when 'weekly' then 'week' when 'monthly' then 'month'
        else 'year' end, ${at}, 'UTC') end)`;

/** Since when a card has had its status: the first of its versions without another status in between. */
export const statusSince = (card: string) => `coalesce((
  select min(w.valid_at) from card_versions w where w.card_id = ${card}.id and w.version <= ${card}.version
    and w.version > coalesce((
      select max(x.version) from card_versions x
      where x.card_id = ${card}.id and x.version < ${card}.version and x.status <> ${card}.status), 0)), ${card}.created_at)`;

export const statusReasonOf = (card: string) =>
  `(select v.status_reason from card_versions v where v.card_id = ${card}.id and v.version = ${card}.version)`;

/** A user's accounts as JSON: cents are text. */
export const accountsOf = (userId: string) => `coalesce((
  select json_agg(json_build_object('cardIssuerUserId', a.id, 'collateral', a.collateral::text, 'isRefillEnabled', r.is_enabled,
    'refillThreshold', r.threshold::text, 'refillAmount', r.amount::text) order by a.created_at, a.id)
  from card_issuer_users a left join card_refill_rules r on r.card_issuer_user_id = a.id
  where a.user_id = ${userId}), '[]')`;

/** As `accountsOf` gives it. */
export interface AccountTexts {
  cardIssuerUserId: string;
  collateral: string;
  /** Null without a rule, as the other two. */
  isRefillEnabled: boolean | null;
  refillThreshold: string | null;
  refillAmount: string | null;
}

export interface AccountFunds {
  cardIssuerUserId: string;
  /** US cents, as all amounts here. */
  collateralMinor: bigint;
  /** Null without a rule. */
  refill: { isEnabled: boolean; thresholdMinor: bigint; amountMinor: bigint } | null;
}

export function toAccountFunds(texts: AccountTexts): AccountFunds {
  const { cardIssuerUserId, collateral, isRefillEnabled, refillThreshold, refillAmount } = texts;
  return {
    cardIssuerUserId,
    collateralMinor: BigInt(collateral),
    refill:
      isRefillEnabled === null
        ? null
        : {
            isEnabled: isRefillEnabled,
            thresholdMinor: BigInt(refillThreshold!),
            amountMinor: BigInt(refillAmount!),
          },
  };
}
