import { type Static, Type } from 'typebox';
import { dateTime, nullable, uuid } from '#platform/http/schemas';
import type { KeyRow } from './queries.ts';

export const scope = Type.Enum(['mcp', 'mcp_card_reveal', 'mcp:write']);

/** A key as it may be shown: everything but its secret. */
export const key = Type.Object({
  id: Type.String(),
  name: Type.String(),
  partnerId: uuid,
  userId: uuid,
  scopes: Type.Array(Type.String()),
  ipAllowlist: Type.Array(Type.String()),
  createdAt: dateTime,
  expiresAt: nullable(dateTime),
  revokedAt: nullable(dateTime),
  rotatedFrom: nullable(Type.String()),
  rotatedAt: nullable(dateTime),
});

export type KeyView = Static<typeof key>;

export function presentKey(row: KeyRow): KeyView {
  const { createdAt, expiresAt, revokedAt, rotatedAt, ...shown } = row;
  return {
    ...shown,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    rotatedAt: rotatedAt?.toISOString() ?? null,
  };
}
