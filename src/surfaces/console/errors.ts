import { defineErrors } from '#platform/errors/errors';

export const consoleErrors = defineErrors({
  notOperatorStaff: [403, 'The console is for staff of the operator'],
});
