import { defineErrors } from '#platform/errors/errors';

/** Somebody else's card is not found, never forbidden: that it exists is nobody else's business. */
export const cardErrors = defineErrors({
  cardNotFound: [404, 'Card not found'],
  cardAccountNotFound: [404, 'Card account not found'],
  cardTransactionNotFound: [404, 'Card transaction not found'],
  severalAccounts: [
    400,
    'All cards of a call must belong to one account: pass the same cardIssuerUserId for all, or none',
  ],
  nothingToChange: [400, 'Pass at least one of nickname, status, spendingLimit, spendingInterval'],
  illegalCardMove: [409, 'The card cannot change from its status to that one'],
  cardCanceled: [409, 'The card is canceled; this is final'],
  issuerRefused: [
    409,
    'The card issuer refused the request and gave no reason that can be shown: ask the issuer',
  ],
  idempotencyKeyReused: [422, 'This idempotencyKey was used for another request'],
  // One text for every way in which a session cannot be opened: which one it was is nobody's business either.
  sessionInvalid: [
    400,
    'sessionId is not an AES-128 key wrapped under the reveal key: read the key again and wrap a new one',
  ],
  sessionUsed: [409, 'sessionId was used before: wrap a new AES-128 key for each reveal'],
  revealNotAllowed: [409, 'The card issuer does not reveal a card in this state'],
  revealLimitExceeded: [429, 'Too many reveals: at most 10 an hour'],
  notOffered: [501, 'Only the sandbox’s card issuer supports this'],
  issuerUnavailable: [503, 'The card issuer does not answer: try again later'],
  eventNotAwaited: [409, 'The issuer’s event feed is not blocked by that event'],
  eventReadable: [409, 'The event can be read now and will be applied: do not skip it'],
  webhookNotSigned: [401, 'Webhook signature is invalid or too old'],
});
