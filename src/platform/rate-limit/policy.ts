import type { FastifyReply, FastifyRequest } from 'fastify';

/** At most `quota` admitted in any window of `windowMs`, for each subject. */
export interface RatePolicy {
  name: string;
  quota: number;
  windowMs: number;
}

export interface RateVerdict {
  admitted: boolean;
  /** Requests left in this window. */
  remaining: number;
  /** Until the next place comes free; for an admitted request with places left, until the oldest one does. */
  resetMs: number;
}

/** Decides and counts in one step. A refused request does not count. */
export interface RateLimiter {
  admit(policy: RatePolicy, subject: string): Promise<RateVerdict>;
  /** By several limits, in their order, until one refuses: those after it do not count the request. */
  admitByAll(limits: readonly Limit[]): Promise<RateVerdict[]>;
}

/** A policy, and whose requests it counts. */
export interface Limit {
  policy: RatePolicy;
  subject: string;
}

/** The headers of draft-ietf-httpapi-ratelimit-headers, and `Retry-After` on a refusal. */
export function rateHeaders(policy: RatePolicy, verdict: RateVerdict): Record<string, string> {
  // To the microsecond first: 2000.0000000001 ms, as a difference of two clock readings may come out, is not
  // 3 seconds.
  const resetSeconds = Math.ceil(Number((verdict.resetMs / 1000).toFixed(6)));
  const headers: Record<string, string> = {
    'ratelimit-policy': `"${policy.name}";q=${policy.quota};w=${policy.windowMs / 1000}`,
    ratelimit: `"${policy.name}";r=${verdict.remaining};t=${resetSeconds}`,
  };
  // Rounded up: a client that waits this long is never early.
  if (!verdict.admitted) headers['retry-after'] = String(Math.max(1, resetSeconds));
  return headers;
}

/** A hook that spends one call of a subject's allowance, or refuses. */
export const rateLimitGuard =
  (
    { limiter }: { limiter: RateLimiter },
    policy: RatePolicy,
    exceeded: (refusal: Spent) => Error,
    subjectOf: (request: FastifyRequest) => string,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.headers(await spendAllowance(limiter, { policy, subject: subjectOf(request), exceeded }));
  };

/**
 * Spends one call and returns the headers for the answer. Throws `exceeded` with these headers if the
 * allowance is used up.
 */
export async function spendAllowance(
  limiter: RateLimiter,
  { policy, subject, exceeded }: { policy: RatePolicy; subject: string; exceeded(refusal: Spent): Error },
): Promise<Record<string, string>> {
  const verdict = await limiter.admit(policy, subject);
  const headers = rateHeaders(policy, verdict);
  if (!verdict.admitted) throw exceeded({ headers });
  return headers;
}

/** The same for several limits, with the headers of all, or of the one that refuses. */
export async function spendAllowances(
  limiter: RateLimiter,
  limits: readonly Limit[],
  exceeded: (refusal: Spent) => Error,
): Promise<Record<string, string>> {
  const verdicts = await limiter.admitByAll(limits);
  const all = verdicts.map((verdict, at) => rateHeaders(limits[at]!.policy, verdict));
  if (!verdicts.at(-1)!.admitted) throw exceeded({ headers: all.at(-1)! });
  const names = Object.keys(all[0]!);
  return Object.fromEntries(names.map((name) => [name, all.map((headers) => headers[name]).join(', ')]));
}

interface Spent {
  headers: Record<string, string>;
}
