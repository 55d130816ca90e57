import { defineErrors } from '#platform/errors/errors';

export const eventErrors = defineErrors({
  unauthorized: [401, 'Unauthorized'],
  addressNotAllowed: [403, 'Forbidden: caller address is not on the allowlist of the key'],
  sequenceAhead: [409, 'after is ahead of the feed'],
  eventsExpired: [410, 'Events were deleted after their retention'],
  rateLimitExceeded: [429, 'Rate limit exceeded'],
  tooManyWaiting: [429, 'Too many requests wait for events'],
});
