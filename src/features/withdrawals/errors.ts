import { defineErrors } from '#platform/errors/errors';

/** The contract's table for withdrawals, row for row; those below the line are ours. */
export const withdrawalErrors = defineErrors({
  unauthorized: [401, 'Unauthorized'],
  userNotAllowed: [401, 'User not allowed'],
  userNotFound: [404, 'User not found'],
  recipientNotFound: [404, 'Error finding user verified wallet'],
  walletNotFound: [404, 'Wallet not found'],
  receiverNotEligible: [403, 'Receiver is not eligible to receive tokens'],
  // ———
  addressNotAllowed: [403, 'Forbidden: caller address is not on the allowlist of the key'],
  bulkRefused: [400, 'Some of the withdrawals cannot be created: nothing was stored'],
  deniedByRule: [403, 'Forbidden: the rules for withdrawals deny it'],
  rateLimitExceeded: [429, 'Rate limit exceeded'],
  requestInFlight: [409, 'A request with this Idempotency-Key is still in flight'],
  idempotencyKeyReused: [422, 'This Idempotency-Key was used for another request'],
  withdrawalNotFound: [404, 'Withdrawal not found'],
  uploadNotFound: [404, 'File not found: it is unknown, or older than a day'],
  moreRepeats: [
    409,
    'More rows than the page showed may be second payments: check the marked rows and confirm again',
  ],
  ambiguousId: [409, 'Several withdrawals have this external id: pass the id of one of them'],
  alreadySigned: [
    409,
    'The withdrawal is signed and can no longer be canceled: the chain decides its outcome',
  ],
  walletHalted: [409, 'A hot wallet of the network is halted and may have paid: resume it first'],
  alreadyFinal: [409, 'The withdrawal is final'],
});
