import { defineErrors } from '#platform/errors/errors';

/** What the pages themselves refuse; each row has its words in `texts.ts`. */
export const pageErrors = defineErrors({
  notSignedIn: [401, 'Not signed in'],
  foreignForm: [403, 'The form is not from a page of this session'],
});
