import { defineErrors } from '#platform/errors/errors';

export const partnerErrors = defineErrors({
  partnerNotFound: [404, 'Partner not found'],
});
