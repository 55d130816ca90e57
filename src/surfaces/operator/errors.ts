import { defineErrors } from '#platform/errors/errors';

export const operatorErrors = defineErrors({
  unauthorized: [401, 'Unauthorized'],
});
