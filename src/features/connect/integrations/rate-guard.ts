import type { Deps } from '#context';
import type { FastifyReply, FastifyRequest } from '#platform/http/http';
import { type RatePolicy, spendAllowance } from '#platform/rate-limit/index';
import { integrationErrors } from './errors.ts';
import { integrationContext } from './guard.ts';

/** A hook after `integrationGuard`: the allowance belongs to the integration, whichever of its keys is used. */
export function integrationRateGuard(deps: Deps, policy: RatePolicy) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const subject = integrationContext(deps, request).actor.integrationId;
    const exceeded = integrationErrors.rateLimitExceeded;
    reply.headers(await spendAllowance(deps.limiter, { policy, subject, exceeded }));
  };
}
