import { networks } from '#adapters/evm';
import { defineErrors } from '#platform/errors/errors';

export const userErrors = defineErrors({
  userNotFound: [404, 'User not found'],
  userSuspended: [409, 'User is suspended: run users resume first'],
  emailTaken: [409, 'Another user has this email'],
  emailShared: [409, 'Several users have this email: give the id of one of them'],
  walletTaken: [409, 'Another user has this wallet on this network'],
  custodyKept: [
    409,
    'A wallet in self custody cannot become a platform wallet, because the user knows its keys: record another address',
  ],
  keysKnown: [
    409,
    'This address was in self custody before, so a user may still have its keys: record another address as a platform wallet',
  ],
  platformElsewhere: [409, 'This address is a platform wallet of another user: remove it there first'],
  walletInUse: [
    409,
    'A withdrawal to this wallet is in progress and will be credited: try again when it is final',
  ],
  walletChanged: [409, 'The wallet was changed at the same time: try again'],
  addressOfOurs: [409, 'The address is a token contract or one of our hot wallets'],
  collateralAddress: [409, 'The address receives card collateral and cannot be a user’s wallet'],
  invalidAddress: [400, 'address must be 0x and 40 hex digits; mixed case must be a correct EIP-55 checksum'],
  zeroAddress: [400, 'address must not be the zero address'],
  unknownNetwork: [400, `network must be one of ${networks.join(', ')}`],
  invalidEmail: [400, 'email must be an email address, such as ana@example.com'],
});
