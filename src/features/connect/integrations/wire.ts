import { type Static, Type } from 'typebox';
import { dateTime, nullable, uuid } from '#platform/http/schemas';
import type { IntegrationRow, ListedKeyRow } from './queries.ts';
import { consentScopes } from './scopes.ts';

export const scopeList = Type.Array(Type.Enum([...consentScopes]), {
  minItems: 1,
  maxItems: consentScopes.length,
  uniqueItems: true,
});

export const integration = Type.Object({
  id: uuid,
  name: Type.String(),
  logoColor: Type.String(),
  purposes: Type.Array(Type.String()),
  purposesPt: nullable(Type.Array(nullable(Type.String()))),
  scopes: Type.Array(Type.String()),
  redirectUris: Type.Array(Type.String()),
  homepageUrl: nullable(Type.String()),
  privacyUrl: nullable(Type.String()),
  logoSha256: nullable(Type.String(), { description: 'Hash of the logo as we serve it' }),
  createdAt: dateTime,
  revokedAt: nullable(dateTime),
});

/** A key without its secret. */
export const integrationKey = Type.Object({
  id: Type.String(),
  createdAt: dateTime,
  expiresAt: nullable(dateTime),
  revokedAt: nullable(dateTime),
});

export type IntegrationView = Static<typeof integration>;
export type IntegrationKeyView = Static<typeof integrationKey>;

export function presentIntegration(row: IntegrationRow): IntegrationView {
  const { createdAt, revokedAt, translations, ...shown } = row;
  const inPortuguese = row.purposes.map((purpose) => translations[purpose] ?? null);
  return {
    ...shown,
    purposesPt: inPortuguese.some((text) => text !== null) ? inPortuguese : null,
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

export function presentKey({ id, createdAt, expiresAt, revokedAt }: ListedKeyRow): IntegrationKeyView {
  const shown = (instant: string | null) => instant && new Date(instant).toISOString();
  return {
    id,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: shown(expiresAt),
    revokedAt: shown(revokedAt),
  };
}
