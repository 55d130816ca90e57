import { defineErrors, type Refusal } from '#platform/errors/errors';
import type { Consent } from './consent.ts';

/**
 * The contract defines the conditions and leaves the messages open; the guard refuses a missing or invalid
 * key.
 */
export const consentErrors = defineErrors({
  foreignConsent: [403, 'Consent belongs to a different integration'],
  consentNotFound: [404, 'Consent not found'],
  consentNotGranted: [404, 'Consent not found: the user has not granted it'],
  consentRevoked: [410, 'Consent was revoked'],
  consentExpired: [410, 'Consent has expired'],

  scopeNotRegistered: [400, 'scopes must be registered for the integration'],
  nothingRequired: [400, 'optional_scopes must be a subset of scopes and leave at least one required scope'],
  redirectNotRegistered: [400, 'redirect_uri must exactly match one of the registered redirect URIs'],
  purposeNotRegistered: [400, 'purpose must be registered for the integration'],

  linkNotFound: [404, 'Link not found'],
  linkUsed: [410, 'Link was used already'],
  linkExpired: [410, 'Link has expired'],
  scopeNotRequested: [400, 'scopes must be among the requested scopes'],
  requiredScopeMissing: [400, 'scopes must include all required scopes'],
  scopeNotGranted: [400, 'scopes cannot be added: request a new consent'],
  noScopeLeft: [400, 'scopes must not be empty: to stop sharing, revoke the consent'],
});

/** The refusal for an ended consent, with the instant at which it ended. */
export function refuseEnded({ revokedAt, expiresAt }: Consent): Refusal {
  return revokedAt
    ? consentErrors.consentRevoked({ fields: { revoked_at: revokedAt.toISOString() } })
    : consentErrors.consentExpired({ fields: { expired_at: expiresAt!.toISOString() } });
}
