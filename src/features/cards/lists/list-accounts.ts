import type { Ctx } from '#context';
import type { AccountFunds } from './queries/card-facts.ts';
import { selectAccountFunds } from './queries/cards.ts';

/** A user's accounts at the card issuer, oldest first, with their collateral and refill rules of now. */
export function listAccounts({ db }: Ctx, { userId }: { userId: string }): Promise<AccountFunds[]> {
  return selectAccountFunds(db, userId);
}
