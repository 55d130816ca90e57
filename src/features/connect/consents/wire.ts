import { type Static, Type } from 'typebox';
import { scopeList } from '#features/connect/integrations';
import { invalidField } from '#platform/errors/errors';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { errorSchema } from '#platform/http/send-error';
import {
  type Consent,
  type ConsentDuration,
  type ConsentRequest,
  consentStatuses,
  type SharedData,
} from './consent.ts';
import type { ReadRow } from './queries/reads.ts';

export const consentPath = Type.Object({
  consentId: Type.String({ description: 'The UUID from the answer to the request and from the redirect' }),
});

const durationTypes = ['one-time', 'days', 'until-revoked'] as const;
const durationObject = Type.Object(
  {
    type: Type.Enum([...durationTypes]),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650, description: 'With `days` only' })),
  },
  closed,
);

export const requestBody = Type.Object(
  {
    scopes: Type.With(scopeList, { description: 'Data that you ask for' }),
    optional_scopes: Type.Optional(
      Type.Array(scopeList.items, {
        maxItems: 3,
        uniqueItems: true,
        description: 'Those of `scopes` that the user may leave out',
      }),
    ),
    redirect_uri: Type.String({
      maxLength: 2_000,
      description: 'One of the registered URIs, exactly; the user returns there',
    }),
    state: Type.Optional(Type.With(line(500), { description: 'Returned in the redirect as it is' })),
    purpose: Type.With(line(200), { description: 'One of the registered purposes; the user reads it' }),
    duration: durationObject,
  },
  closed,
);

export function parseRequest(body: Static<typeof requestBody>): ConsentRequest {
  const { scopes, optional_scopes, redirect_uri, state, purpose, duration } = body;
  return {
    scopes,
    optionalScopes: optional_scopes,
    redirectUri: redirect_uri,
    state,
    purpose,
    duration: parseDuration(duration),
  };
}

function parseDuration({ type, days }: Static<typeof durationObject>): ConsentDuration {
  if (type === 'days') {
    if (days === undefined) throw invalidField('duration.days', 'is required');
    return { kind: type, days };
  }
  if (days !== undefined) throw invalidField('duration.days', 'is only for the type days');
  return { kind: type };
}

export const reduction = Type.Object({ scopes: scopeList }, closed);

export const requestedConsent = Type.Object(
  {
    consent_id: uuid,
    link: Type.String({
      description: 'Redirect the user to it; it works once, for one user, until it expires',
    }),
    link_expires_at: dateTime,
    status: Type.Enum([...consentStatuses]),
  },
  { title: 'RequestedConsent' },
);

export function presentRequested(consent: Consent, linkToken: string, publicUrl: string) {
  return {
    consent_id: consent.id,
    link: `${publicUrl}/connect/requests/${linkToken}`,
    link_expires_at: consent.linkExpiresAt.toISOString(),
    status: consent.status,
  };
}

/** What an integration sees of its consent: nothing about the user, not even the id. */
export const consentState = Type.Object(
  {
    consent_id: uuid,
    integration_id: uuid,
    status: Type.Enum([...consentStatuses]),
    purpose: Type.String(),
    requested_scopes: Type.Array(scopeList.items),
    optional_scopes: Type.Array(scopeList.items),
    scopes: nullable(
      Type.Array(scopeList.items, { description: 'Granted scopes; null until the user grants them' }),
    ),
    duration: Type.Object({ type: Type.Enum([...durationTypes]), days: Type.Optional(Type.Integer()) }),
    requested_at: dateTime,
    link_expires_at: dateTime,
    granted_at: nullable(dateTime),
    expires_at: nullable(dateTime),
    revoked_at: nullable(dateTime),
    revoked_by: nullable(Type.String({ description: 'user, integration or operator' })),
  },
  { title: 'Consent' },
);

export function presentState(consent: Consent): Static<typeof consentState> {
  const { kind, ...days } = consent.duration;
  return {
    consent_id: consent.id,
    integration_id: consent.integrationId,
    status: consent.status,
    purpose: consent.purpose,
    requested_scopes: consent.requestedScopes,
    optional_scopes: consent.optionalScopes,
    scopes: consent.scopes,
    duration: { type: kind, ...days },
    requested_at: consent.requestedAt.toISOString(),
    link_expires_at: consent.linkExpiresAt.toISOString(),
    granted_at: consent.scopes && iso(consent.decidedAt),
    expires_at: iso(consent.expiresAt),
    revoked_at: iso(consent.revokedAt),
    revoked_by: consent.revokedBy,
  };
}

const iso = (instant: Date | null) => instant?.toISOString() ?? null;

/** Only consented data of a user: other scopes are absent, not null. */
export const consentedData = Type.Object(
  {
    consent_id: uuid,
    integration_id: uuid,
    granted_at: dateTime,
    scopes: Type.Array(scopeList.items),
    user: Type.Object({
      profile: Type.Optional(
        Type.Object({ name: Type.String(), given_name: Type.String(), family_name: Type.String() }),
      ),
      email: Type.Optional(
        Type.Object({ address: Type.String({ format: 'email' }), verified: Type.Boolean() }),
      ),
      wallet: Type.Optional(
        Type.Object({
          addresses: Type.Array(
            Type.Object({ chain: Type.Enum(['base', 'polygon']), address: Type.String() }),
          ),
          is_business: Type.Boolean(),
        }),
      ),
      kyc: Type.Optional(
        Type.Object({
          email: Type.String(),
          entity_type: Type.Enum(['individual', 'business']),
          first_name: Type.String(),
          last_name: Type.String(),
          legal_name: nullable(Type.String()),
          document_type: Type.String({ description: 'Empty if unknown, like the two fields below' }),
          document_number: Type.String(),
          tax_id: Type.String(),
        }),
      ),
    }),
  },
  { title: 'ConsentedData' },
);

export type ConsentedData = Static<typeof consentedData>;

export function presentConsentedData(consent: Consent, user: SharedData): ConsentedData {
  return {
    consent_id: consent.id,
    integration_id: consent.integrationId,
    granted_at: consent.decidedAt!.toISOString(),
    scopes: consent.scopes!,
    user,
  };
}

/** The contract's body of 410, with the instant at which the consent ended. */
export const endedConsent = Type.Object(
  {
    error: errorSchema.properties.error,
    revoked_at: Type.Optional(dateTime),
    expired_at: Type.Optional(dateTime),
    code: errorSchema.properties.code,
    requestId: errorSchema.properties.requestId,
  },
  { title: 'EndedConsent' },
);

/** For operators and the audit log. `state` belongs to the integration and may be what protects its users. */
export const consentView = Type.Object({
  id: uuid,
  integrationId: uuid,
  userId: nullable(uuid),
  status: Type.String(),
  purpose: Type.String(),
  purposePt: nullable(Type.String()),
  requestedScopes: Type.Array(Type.String()),
  optionalScopes: Type.Array(Type.String()),
  scopes: nullable(Type.Array(Type.String())),
  duration: Type.String(),
  durationDays: nullable(Type.Integer()),
  redirectUri: Type.String(),
  requestedAt: dateTime,
  linkExpiresAt: dateTime,
  decidedAt: nullable(dateTime),
  expiresAt: nullable(dateTime),
  revokedAt: nullable(dateTime),
  revokedBy: nullable(Type.String()),
  lastReadAt: nullable(dateTime),
  readCount: Type.Number(),
});

export type ConsentView = Static<typeof consentView>;

export function presentConsent({ duration, state: _state, ...consent }: Consent): ConsentView {
  return {
    ...consent,
    duration: duration.kind,
    durationDays: duration.kind === 'days' ? duration.days : null,
    requestedAt: consent.requestedAt.toISOString(),
    linkExpiresAt: consent.linkExpiresAt.toISOString(),
    decidedAt: iso(consent.decidedAt),
    expiresAt: iso(consent.expiresAt),
    revokedAt: iso(consent.revokedAt),
    lastReadAt: iso(consent.lastReadAt),
  };
}

export const readView = Type.Object({
  id: Type.String(),
  consentId: uuid,
  integrationId: uuid,
  userId: uuid,
  keyId: Type.String(),
  readAt: dateTime,
  fields: Type.Array(Type.String()),
  address: Type.String(),
});

export type ReadView = Static<typeof readView>;

export const presentRead = (row: ReadRow): ReadView => ({ ...row, readAt: row.readAt.toISOString() });
