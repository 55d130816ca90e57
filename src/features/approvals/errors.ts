import { defineErrors } from '#platform/errors/errors';

export const approvalErrors = defineErrors({
  approvalNotFound: [404, 'Approval request not found'],
  ownRequest: [403, 'You asked for this: another operator must decide'],
  otherRole: [403, 'Your role may not run this command: an operator whose role may run it must decide'],
  alreadyDecided: [409, 'The request is already decided'],
  requestExpired: [409, 'The request has expired: run the command again'],
  requesterGone: [
    409,
    'The operator who asked was removed or has another role now: refuse it, and run the command again',
  ],
  inputChanged: [
    409,
    'The stored input is not the one that was asked for: refuse it, and run the command again',
  ],
  commandChanged: [409, 'This release no longer accepts the request: refuse it, and run the command again'],
});
