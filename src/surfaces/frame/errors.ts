import { defineErrors } from '#platform/errors/errors';

export const frameErrors = defineErrors({
  notSignedIn: [401, 'Not signed in'],
  foreignForm: [403, 'The form is not from a page of this session'],
  sentBefore: [409, 'This form was sent before, or it is older than 30 minutes'],
});
