import { defineErrors } from '#platform/errors/errors';

export const operatorErrors = defineErrors({
  unauthorized: [401, 'Unauthorized'],
  roleRefused: [403, 'The role may not run this command'],
});
