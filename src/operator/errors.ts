import { defineErrors } from '../platform/errors.ts';

export const operatorErrors = defineErrors({
  unauthorized: [401, 'Unauthorized'],
});
