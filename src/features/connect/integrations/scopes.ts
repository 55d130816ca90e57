/** What a user can share, in the contract's words and order. */
export const consentScopes = ['profile', 'email', 'wallet', 'kyc'] as const;
export type ConsentScope = (typeof consentScopes)[number];

/**
 * Each once, in the contract's order.
 * @example
 * orderScopes(['kyc', 'profile', 'kyc']); // ['profile', 'kyc']
 */
export function orderScopes(scopes: readonly ConsentScope[]): ConsentScope[] {
  return consentScopes.filter((scope) => scopes.includes(scope));
}
