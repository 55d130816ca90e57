import { defineErrors } from '#platform/errors/errors';

export const applicationErrors = defineErrors({
  applicationNotFound: [404, 'Application not found'],
  logoNotFound: [404, 'Logo not found'],
  applicationEnded: [409, 'The application was decided already, or has expired'],
  applicationSent: [409, 'This form was sent before'],
  tooManyOfEmail: [409, 'This email has 3 open applications: wait until one is decided'],
  tooManyApplications: [503, 'Too many applications wait for an answer: try again in some days'],
  tooManyTries: [429, 'Too many tries from this address: wait ten minutes'],
  tooManyFromAddress: [429, 'Too many applications from this address: try again tomorrow'],
  invitationOver: [409, 'The time to create a passkey by this link is over: ask for an invitation'],
  passkeyExists: [409, 'The passkey of this application was created already: sign in'],
});
