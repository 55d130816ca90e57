import { defineErrors } from '#platform/errors/errors';

/** Somebody else's card is not found, never forbidden: that it exists is nobody else's business. */
export const cardErrors = defineErrors({
  cardNotFound: [404, 'Card not found'],
  cardAccountNotFound: [404, 'Card account not found'],
  cardTransactionNotFound: [404, 'Card transaction not found'],
  severalAccounts: [400, 'The cards of one call must be of one account: give one cardIssuerUserId, or none'],
  nothingToChange: [400, 'Give at least one of nickname, status, spendingLimit, spendingInterval'],
  illegalCardMove: [409, 'The card does not move there'],
  cardCanceled: [409, 'The card is canceled, which is final'],
  issuerRefused: [409, 'The card issuer refused'],
  idempotencyKeyReused: [422, 'This idempotencyKey was used for another request'],
  // One text for every way in which a session cannot be opened: which one it was is nobody's business either.
  sessionInvalid: [
    400,
    'sessionId is not an AES-128 key wrapped under the reveal key: read the key again and wrap a new one',
  ],
  sessionUsed: [409, 'sessionId was used before: wrap a new AES-128 key for each reveal'],
  revealNotAllowed: [409, 'The card issuer does not reveal a card in this state'],
  revealLimitExceeded: [429, 'Too many reveals: at most 10 an hour'],
  notOffered: [501, 'The card issuer does not offer this: only a sandbox does'],
  issuerUnavailable: [503, 'The card issuer does not answer: try again later'],
  eventNotAwaited: [409, 'The reading of the card issuer’s events does not stand at that one'],
  eventReadable: [409, 'That event can be read by now: it is taken over, not passed over'],
  webhookNotSigned: [401, 'Webhook is not signed by the card issuer, or too long ago'],
});
