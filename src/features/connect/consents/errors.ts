import { defineErrors, type Refusal } from '#platform/errors/errors';
import type { Consent } from './consent.ts';

/** The contract has the conditions of reading and leaves the words open; a missing or invalid key is the guard's to refuse. */
export const consentErrors = defineErrors({
  foreignConsent: [403, 'Consent belongs to a different integration'],
  consentNotFound: [404, 'Consent not found'],
  consentNotGranted: [404, 'Consent not found: the user has not granted it'],
  consentRevoked: [410, 'Consent was revoked'],
  consentExpired: [410, 'Consent has expired'],

  scopeNotRegistered: [400, 'scopes must be among those that the integration is registered for'],
  nothingRequired: [400, 'optional_scopes must be some of scopes and leave at least one that is required'],
  redirectNotRegistered: [
    400,
    'redirect_uri must be one of the registered addresses, character by character',
  ],
  purposeNotRegistered: [400, 'purpose must be one of those that the integration is registered for'],

  linkNotFound: [404, 'Link not found'],
  linkUsed: [410, 'Link was used already'],
  linkExpired: [410, 'Link has expired'],
  scopeNotRequested: [400, 'scopes must be among those that were asked for'],
  requiredScopeMissing: [400, 'scopes must have all that are required'],
  scopeNotGranted: [400, 'scopes can be reduced, never widened: ask for a new consent'],
  noScopeLeft: [400, 'scopes must have at least one; to share nothing any more, revoke the consent'],
});

/** What is said of a consent that is over, with the instant at which it ended. */
export function refuseEnded({ revokedAt, expiresAt }: Consent): Refusal {
  return revokedAt
    ? consentErrors.consentRevoked({ fields: { revoked_at: revokedAt.toISOString() } })
    : consentErrors.consentExpired({ fields: { expired_at: expiresAt!.toISOString() } });
}
