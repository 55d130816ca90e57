import { defineErrors } from '#platform/errors/errors';

export const sessionErrors = defineErrors({
  invalidReturnTo: [
    400,
    'returnTo must be /connect/apps, or /connect/requests/ followed by the token of a link',
  ],
  signInLinkNotFound: [404, 'Sign-in link not found'],
  signInLinkUsed: [410, 'Sign-in link was used already'],
  signInLinkExpired: [410, 'Sign-in link has expired'],
});
