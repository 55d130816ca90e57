import type { ConsentScope } from '#features/connect/integrations';

export const consentStatuses = ['awaiting', 'active', 'rejected', 'revoked', 'expired'] as const;
export type ConsentStatus = (typeof consentStatuses)[number];

export type ConsentDuration =
  | { kind: 'one-time' }
  | { kind: 'days'; days: number }
  | { kind: 'until-revoked' };

export interface ConsentRequest {
  scopes: ConsentScope[];
  /** Those that the user may leave out. */
  optionalScopes?: ConsentScope[];
  redirectUri: string;
  state?: string;
  purpose: string;
  duration: ConsentDuration;
}

/** What an integration asked for and what became of it. */
export interface Consent {
  id: string;
  integrationId: string;
  status: ConsentStatus;
  purpose: string;
  /** The same in Portuguese, as it was when it was requested. */
  purposePt: string | null;
  requestedScopes: ConsentScope[];
  /** Those of the requested ones that the user may leave out. */
  optionalScopes: ConsentScope[];
  /** Granted scopes; null until the user grants them. */
  scopes: ConsentScope[] | null;
  duration: ConsentDuration;
  redirectUri: string;
  state: string | null;
  requestedAt: Date;
  linkExpiresAt: Date;
  /** Who opened the link first, and only they can decide. */
  userId: string | null;
  decidedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  revokedBy: 'user' | 'integration' | 'operator' | null;
  lastReadAt: Date | null;
  readCount: number;
}

/** Expiry is judged by the clock; the row follows when somebody touches it or the worker comes by. */
export function hasExpired({ status, expiresAt }: Consent, now: Date): boolean {
  return status === 'active' && expiresAt !== null && expiresAt <= now;
}

/** A consent as it is at an instant, whether its row says so already or not. */
export function asOf(consent: Consent, now: Date): Consent {
  return hasExpired(consent, now) ? { ...consent, status: 'expired' } : consent;
}

/** Revoked at an instant; one that clocks or queues put before the grant or the last read is dated there. */
export function revokedAsOf(
  consent: Consent,
  at: Date,
  revokedBy: NonNullable<Consent['revokedBy']>,
): Consent {
  const instants = [at, consent.decidedAt!, consent.lastReadAt ?? at].map((instant) => instant.getTime());
  return { ...consent, status: 'revoked', revokedAt: new Date(Math.max(...instants)), revokedBy };
}

/**
 * What is shared by a scope, named as the contract names it; the document number and tax id are in the clear
 * only for a read.
 */
export interface SharedData {
  profile?: { name: string; given_name: string; family_name: string };
  email?: { address: string; verified: boolean };
  wallet?: { addresses: { chain: 'base' | 'polygon'; address: string }[]; is_business: boolean };
  kyc?: {
    email: string;
    entity_type: 'individual' | 'business';
    first_name: string;
    last_name: string;
    legal_name: string | null;
    document_type: string;
    document_number: string;
    tax_id: string;
  };
}
