import { defineErrors } from '#platform/errors/errors';

export const keyErrors = defineErrors({
  unauthorized: [401, 'Unauthorized'],
  addressNotAllowed: [403, 'Forbidden: caller address is not on the allowlist of the key'],
  rateLimitExceeded: [429, 'Rate limit exceeded'],
  keyNotFound: [404, 'Key not found'],
  keyEnded: [409, 'Key is revoked, expired or already rotated'],
  keySuspended: [409, 'Key is suspended: resume it first'],
  userNotAllowed: [409, "User is not on the partner's allowed list: run partners allow-user first"],
  expiryInThePast: [400, 'expiresAt must be in the future'],
  notYoursToGive: [403, 'You may not give more than you have'],
  notYourUser: [403, 'The user is not on your list: ask the operator to allow it'],
  tooManyKeys: [409, 'A partner has at most 100 keys that work: revoke one first'],
  scopeMissing: [403, 'Forbidden: the key lacks a scope'],
  invalidAddressBlock: [400, 'ipAllowlist must contain IPv4 or IPv6 addresses or CIDR blocks'],
});
