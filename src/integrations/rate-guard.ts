import type { Deps } from '../context.ts';
import type { FastifyReply, FastifyRequest } from '../platform/http.ts';
import { type RatePolicy, rateHeaders } from '../platform/rate-limit/index.ts';
import { integrationErrors } from './errors.ts';
import { integrationContext } from './guard.ts';

/** A hook after `integrationGuard`: the allowance belongs to the integration, whichever of its keys is used. */
export function integrationRateGuard(deps: Deps, policy: RatePolicy) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { integrationId } = integrationContext(deps, request).actor;
    const verdict = await deps.limiter.admit(policy, integrationId);
    const headers = rateHeaders(policy, verdict);
    if (!verdict.admitted) throw integrationErrors.rateLimitExceeded({ headers });
    reply.headers(headers);
  };
}
