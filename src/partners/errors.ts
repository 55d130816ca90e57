import { defineErrors } from '../platform/errors.ts';

export const partnerErrors = defineErrors({
  partnerNotFound: [404, 'Partner not found'],
});
