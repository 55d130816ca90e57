import { defineErrors } from '#platform/errors/errors';

export const keyErrors = defineErrors({
  keyNotFound: [404, 'Key not found'],
  keyEnded: [409, 'Key is revoked, expired or already rotated'],
  keySuspended: [409, 'Key is suspended: resume it first'],
  userNotAllowed: [409, "User is not on the partner's allowed list: run partners allow-user first"],
  expiryInThePast: [400, 'expiresAt must be in the future'],
  scopeMissing: [403, 'Forbidden: the key lacks a scope'],
  invalidAddressBlock: [400, 'ipAllowlist must contain IPv4 or IPv6 addresses or CIDR blocks'],
});
