export { createMemoryLimiter } from './memory.ts';
export {
  type RateLimiter,
  type RatePolicy,
  type RateVerdict,
  rateHeaders,
  rateLimitGuard,
  spendAllowance,
} from './policy.ts';
export { createPostgresLimiter, sweepRateLimits } from './postgres.ts';
