import { defineErrors } from '#platform/errors/errors';
import { staffRoles } from './staff-roles.ts';

export const personErrors = defineErrors({
  personNotFound: [404, 'Person not found'],
  personExists: [409, 'This email is invited already: run people reinvite to send a new link'],
  ownRights: [409, 'You cannot change your own rights: ask another administrator'],
  notOwner: [403, 'Only an owner at a partner or an integration manages its team'],
  notPartnerStaff: [403, 'This is for people who work at a partner'],
  notIntegrationStaff: [403, 'This is for people who work at an integration'],
  otherStaffRole: [403, 'Your role may not do this'],
  stepUpRequired: [403, 'Confirm with your passkey first: the last time was more than 5 minutes ago'],
  oneEmployer: [400, 'Give partnerId or integrationId, not both'],
  wrongRole: [
    400,
    `role must be one of ${staffRoles.operator.join(', ')}; for a partner ${staffRoles.partner.join(', ')}; for an integration ${staffRoles.integration.join(', ')}`,
  ],
  invitationNotFound: [404, 'Invitation not found'],
  invitationUsed: [410, 'Invitation was used already'],
  invitationExpired: [410, 'Invitation has expired'],
  notSignedIn: [401, 'Not signed in'],
  foreignRequest: [403, 'The request is not from a page of this session'],
  passkeyNotFound: [404, 'You have no such passkey'],
  lastPasskey: [409, 'This is your last passkey: add another one first'],
  tooManyChanges: [429, 'Too many requests of this person: wait ten seconds'],
  passkeyRefused: [400, 'The passkey was not accepted'],
  openidRefused: [400, 'The sign-in at the provider did not work'],
  openidUnknown: [403, 'Nobody was invited under this identity'],
  openidOtherEmail: [403, 'The provider verified another email than the invited one'],
  tooManyTries: [429, 'Too many tries from this address: wait a minute'],
});
