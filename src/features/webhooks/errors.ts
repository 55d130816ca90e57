import { defineErrors } from '#platform/errors/errors';

export const webhookErrors = defineErrors({
  unauthorized: [401, 'Unauthorized'],
  addressNotAllowed: [403, 'Forbidden: caller address is not on the allowlist of the key'],
  endpointNotFound: [404, 'Webhook endpoint not found'],
  deliveryNotFound: [404, 'Delivery not found'],
  eventNotFound: [404, 'Event not found, or not for this endpoint'],
  subscriberNotFound: [404, 'Partner or integration not found'],
  managedByOperator: [403, 'The endpoint receives events of all users: use a key with partner:admin'],
  adminsChoose: [
    403,
    'A key names only its own user: a developer or owner sets userId or allUsers by session',
  ],
  peopleDecide: [
    403,
    'The endpoint receives events of other users: a developer or owner changes it by session',
  ],
  notYourUser: [403, 'The user is not on your list: ask the operator to allow it'],
  tooManyEndpoints: [409, 'A subscriber has at most 20 webhook endpoints: delete one first'],
  endpointDisabled: [409, 'The endpoint is disabled: enable it first'],
  rateLimitExceeded: [429, 'Rate limit exceeded'],
});
