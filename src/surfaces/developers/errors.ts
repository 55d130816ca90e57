import { defineErrors } from '#platform/errors/errors';

export const developerPageErrors = defineErrors({
  notIntegrationStaff: [403, 'These pages are for developers of an integration'],
  applicationsClosed: [404, 'Applications are not accepted here'],
});
