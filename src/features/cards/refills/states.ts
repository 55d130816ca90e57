/**
 * Forward only, but that a refill is queued again when the payment of an attempt has failed; `completed` and
 * `failed` are final. The database refuses other moves, and those that the payment does not bear out.
 */
export const refillStatuses = ['queued', 'processing', 'completed', 'failed'] as const;
export type RefillStatus = (typeof refillStatuses)[number];

/**
 * What collateral is paid in. A dollar of it is a unit of either: what a unit is worth is between the issuer
 * and its user.
 */
export const refillCurrencies = ['USDC', 'USDT'] as const;
export type RefillCurrency = (typeof refillCurrencies)[number];
