import { defineErrors } from '#platform/errors/errors';

export const paymentErrors = defineErrors({
  paymentNotFound: [404, 'Payment not found'],
  notWaiting: [409, 'The payment does not wait for approval'],
  alreadyDecided: [409, 'You decided about this payment already'],
  ownPayment: [403, 'You asked for this payment, or issued the key that did: somebody else must decide'],
  otherRole: [403, 'Your role is not asked for this payment'],
});
