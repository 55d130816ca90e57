import { type Static, Type } from 'typebox';
import { dateTime, line, nullable, uuid } from '#platform/http/schemas';
import type { IntegrationRow, ListedKeyRow } from './queries.ts';
import { consentScopes } from './scopes.ts';

export const scopeList = Type.Array(Type.Enum([...consentScopes]), {
  minItems: 1,
  maxItems: consentScopes.length,
  uniqueItems: true,
});

export const texts = (item: ReturnType<typeof line>, description: string) =>
  Type.Array(item, { minItems: 1, maxItems: 20, uniqueItems: true, description });

const link = (description: string) => Type.Optional(nullable(line(2_000), { description }));

/** What an operator registers, or a developer applies for. */
export const termFields = {
  name: line(100),
  logoColor: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Such as #1a7f5a' }),
  purposes: texts(line(200), 'Purposes that it may state when it requests data, as users read them'),
  redirectUris: texts(line(2_000), 'Allowed redirect URIs; compared exactly'),
  homepageUrl: link('Its site, linked on the page of a request'),
  privacyUrl: link('Its privacy policy, linked on the page of a request'),
};

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

/** As commands and the API show an integration; its keys are shown by `presentKey`. */
export function presentIntegration(row: IntegrationRow): IntegrationView {
  const { createdAt, revokedAt, translations, keysByOwner: _, ...shown } = row;
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

export const overlapHours = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 720, description: 'How long older keys keep working (default 24)' }),
);
