import type { Deps } from '../context.ts';
import type { RefusalFactory } from '../platform/errors.ts';
import type { FastifyReply, FastifyRequest } from '../platform/http.ts';
import { type RatePolicy, spendAllowance } from '../platform/rate-limit/index.ts';
import { keyActorOf } from './guard.ts';

/** A hook after `keyGuard`: the allowance belongs to the user, whichever of their keys is used. */
export function rateGuard(deps: Deps, policy: RatePolicy, exceeded: RefusalFactory) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const subject = keyActorOf(request).userId;
    reply.headers(await spendAllowance(deps.limiter, { policy, subject, exceeded }));
  };
}
