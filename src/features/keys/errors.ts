import { defineErrors } from '#platform/errors/errors';

export const keyErrors = defineErrors({
  keyNotFound: [404, 'Key not found'],
  keyEnded: [409, 'Key is revoked, expired or already rotated'],
  expiryInThePast: [400, 'expiresAt must be in the future'],
  invalidAddressBlock: [400, 'ipAllowlist must contain IPv4 or IPv6 addresses or CIDR blocks'],
});
