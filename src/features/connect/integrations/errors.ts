import { defineErrors } from '#platform/errors/errors';

export const integrationErrors = defineErrors({
  missingApiKey: [401, 'Unauthorized: x-api-key is required'],
  invalidApiKey: [401, 'Unauthorized: x-api-key is invalid'],
  rateLimitExceeded: [429, 'Rate limit exceeded'],
  integrationNotFound: [404, 'Integration not found'],
  logoNotFound: [404, 'Logo not found'],
  integrationRevoked: [409, 'Integration is revoked'],
  keysByOwner: [409, 'The people of this integration make its keys, at /developers/key'],
});
