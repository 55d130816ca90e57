import { type Static, Type } from 'typebox';
import { dateTime, nullable, uuid } from '#platform/http/schemas';
import type { KeyRow, ListedKeyRow, Stop } from './queries.ts';
import { apiScopes, mcpScopes, noApiScope } from './scopes.ts';

export const scope = Type.Enum([...mcpScopes, ...apiScopes, noApiScope]);

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
  suspendedAt: nullable(dateTime),
  suspendedReason: nullable(Type.String()),
  issuedByKey: nullable(Type.String(), { description: 'The key that issued it; both end together' }),
});

const statuses = [
  'active',
  'rotated',
  'suspended',
  'partner suspended',
  'user suspended',
  'user not allowed',
  'expired',
  'revoked',
] as const;

export const listedKey = Type.Object({
  ...key.properties,
  status: Type.Enum([...statuses], {
    description: 'Active and rotated keys work; a rotated one ends at expiresAt',
  }),
  lastUsedAt: nullable(dateTime, { description: 'To the minute; null if it was never used' }),
});

export type KeyView = Static<typeof key>;
export type ListedKey = Static<typeof listedKey>;

export function presentListedKey({ lastUsedAt, stoppedBy, ...row }: ListedKeyRow, now: Date): ListedKey {
  return {
    ...presentKey(row),
    status: statusOf(row, stoppedBy, now),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

function statusOf(row: KeyRow, stoppedBy: Stop | null, now: Date): ListedKey['status'] {
  if (row.revokedAt) return 'revoked';
  if (row.expiresAt && row.expiresAt <= now) return 'expired';
  if (row.suspendedAt) return 'suspended';
  if (stoppedBy) return stoppedBy;
  return row.rotatedAt ? 'rotated' : 'active';
}

export function presentKey(row: KeyRow): KeyView {
  const { createdAt, expiresAt, revokedAt, rotatedAt, suspendedAt, ...shown } = row;
  return {
    ...shown,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    rotatedAt: rotatedAt?.toISOString() ?? null,
    suspendedAt: suspendedAt?.toISOString() ?? null,
  };
}

export const overlapHours = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 720, description: 'How long the old key keeps working (default 24)' }),
);
