export { createMemoryLimiter } from './memory.ts';
export {
  type Limit,
  type RateLimiter,
  type RatePolicy,
  type RateVerdict,
  rateHeaders,
  rateLimitGuard,
  spendAllowance,
  spendAllowances,
} from './policy.ts';
export { createPostgresLimiter, sweepRateLimits } from './postgres.ts';
