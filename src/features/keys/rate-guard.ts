import type { Deps } from '#context';
import type { RefusalFactory } from '#platform/errors/errors';
import type { FastifyReply, FastifyRequest } from '#platform/http/http';
import { type RatePolicy, spendAllowance } from '#platform/rate-limit/index';
import { keyActorOf } from './guard.ts';

/** A hook after `keyGuard`: the allowance belongs to the user, whichever of their keys is used. */
export function rateGuard(deps: Deps, policy: RatePolicy, exceeded: RefusalFactory) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const subject = keyActorOf(request).userId;
    reply.headers(await spendAllowance(deps.limiter, { policy, subject, exceeded }));
  };
}
