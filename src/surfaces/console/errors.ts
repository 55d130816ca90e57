import { defineErrors } from '#platform/errors/errors';

export const consoleErrors = defineErrors({
  notOperatorStaff: [403, 'The console is for staff of the operator'],
  stepUpRequired: [403, 'Confirm with your passkey first'],
  nothingChosen: [400, 'Nothing is chosen'],
  tooManyChosen: [400, 'Too many are chosen'],
  draftChanged: [409, 'Another draft was saved since this page was opened'],
});
