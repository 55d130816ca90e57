import { defineErrors } from '#platform/errors/errors';

export const operatorErrors = defineErrors({
  unauthorized: [401, 'Unauthorized'],
  foreignRequest: [403, 'The header X-CSRF-Token is not that of the session'],
  notOperatorStaff: [403, 'Only staff of the operator may run operator commands'],
  stepUpRequired: [403, 'Confirm with your passkey first: the last time was more than 5 minutes ago'],
});
