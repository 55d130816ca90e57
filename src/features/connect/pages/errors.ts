import { defineErrors } from '#platform/errors/errors';

/** Refusals of the pages; `texts.ts` has the text of each. */
export const pageErrors = defineErrors({
  notSignedIn: [401, 'Not signed in'],
  tooManyChecks: [429, 'Too many checks from this address'],
  foreignForm: [403, 'The form is not from a page of this session'],
});
