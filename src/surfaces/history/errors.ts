import { defineErrors } from '#platform/errors/errors';

/** The contract's table for history, row for row; the last row is ours. */
export const historyErrors = defineErrors({
  invalidFeature: [400, 'Invalid feature'],
  keyRequired: [401, 'Unauthorized: API key is required'],
  invalidKey: [401, 'Unauthorized: Invalid API key'],
  rateLimitExceeded: [429, 'Rate limit exceeded'],
  keyValidationFailed: [500, 'API key validation failed: the key store does not answer'],
  addressNotAllowed: [403, 'Forbidden: caller address is not on the allowlist of the key'],
});
