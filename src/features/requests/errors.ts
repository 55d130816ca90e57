import { defineErrors } from '#platform/errors/errors';

export const requestErrors = defineErrors({
  unauthorized: [401, 'Unauthorized'],
  addressNotAllowed: [403, 'Forbidden: caller address is not on the allowlist of the key'],
  rateLimitExceeded: [429, 'Rate limit exceeded'],
});
