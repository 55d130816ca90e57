import type { WithdrawalRates } from '#config/config';
import type { PartnerAdmin } from '#context';
import {
  type RateLimiter,
  type RatePolicy,
  spendAllowance,
  spendAllowances,
} from '#platform/rate-limit/index';
import { withdrawalErrors } from './errors.ts';

const windowMs = 10_000;

/**
 * Limits how many withdrawals a partner creates, together and for one user. Returns what spends one creation:
 * it answers with the headers, or refuses. The user's limit comes first, so that a flood for one user leaves
 * the partner's allowance to the others.
 */
export function limitCreations(limiter: RateLimiter, rates: WithdrawalRates) {
  const ofUser: RatePolicy = { name: 'withdrawals-user', quota: rates.user, windowMs };
  const ofPartner: RatePolicy = { name: 'withdrawals-partner', quota: rates.partner, windowMs };
  return ({ partnerId }: PartnerAdmin, userId: string): Promise<Record<string, string>> =>
    spendAllowances(
      limiter,
      [
        // One partner cannot use up what another may create for the same user.
        { policy: ofUser, subject: `${partnerId} ${userId}` },
        { policy: ofPartner, subject: partnerId },
      ],
      withdrawalErrors.rateLimitExceeded,
    );
}

/**
 * The same for bulk requests, however many withdrawals each has: by default ten in a minute. They need a
 * connection for a second, which single ones do not.
 */
export function limitBulks(limiter: RateLimiter, rates: WithdrawalRates) {
  const policy: RatePolicy = {
    name: 'withdrawals-bulk',
    quota: Math.ceil(rates.partner / 60),
    windowMs: 60_000,
  };
  return ({ partnerId }: PartnerAdmin): Promise<Record<string, string>> =>
    spendAllowance(limiter, { policy, subject: partnerId, exceeded: withdrawalErrors.rateLimitExceeded });
}
