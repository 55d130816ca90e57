import { networks } from '#adapters/evm';
import { defineErrors } from '#platform/errors/errors';

export const userErrors = defineErrors({
  userNotFound: [404, 'User not found'],
  emailTaken: [409, 'Another user has this email'],
  walletTaken: [409, 'Another user has this wallet on this network'],
  custodyKept: [
    409,
    'A wallet in self custody does not become the platform’s: the user knows its keys. Record another address',
  ],
  walletInUse: [
    409,
    'A withdrawal that will be credited is on its way to this wallet: try again once it has ended',
  ],
  addressOfOurs: [409, 'The address is a token contract or a hot wallet of ours, and nobody’s wallet'],
  collateralAddress: [409, 'The address takes collateral of cards and is nobody’s wallet'],
  invalidAddress: [400, 'address must be 0x and 40 hex digits; mixed case must be a correct EIP-55 checksum'],
  zeroAddress: [400, 'address must not be the zero address, which belongs to nobody'],
  unknownNetwork: [400, `network must be one of ${networks.join(', ')}`],
  invalidEmail: [400, 'email must be an email address, such as ana@example.com'],
});
