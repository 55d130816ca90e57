import type { IntegrationActor } from '#context';
import type { Db } from '#platform/db/db';
import { isSameSecret } from '#platform/secrets/token';
import { selectCredential } from './queries.ts';
import { parseToken } from './token.ts';

export type IntegrationVerdict =
  | { actor: IntegrationActor }
  | { refused: 'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked' };

/** Which integration is calling, by its key; at most one indexed query. */
export async function authenticateIntegration(
  { db, now }: { db: Db; now: Date },
  apiKey: string | undefined,
): Promise<IntegrationVerdict> {
  if (apiKey === undefined || apiKey === '') return { refused: 'missing' };
  const token = parseToken(apiKey);
  if (!token) return { refused: 'malformed' };

  const key = await selectCredential(db, token.id);
  if (!isSameSecret(token.secretSha256, key?.secretSha256) || !key) return { refused: 'unknown' };
  if (key.revokedAt) return { refused: 'revoked' };
  if (key.expiresAt && key.expiresAt <= now) return { refused: 'expired' };
  return { actor: { kind: 'integration', integrationId: key.integrationId, keyId: token.id } };
}
