import type { KeyActor } from '#context';
import type { Db } from '#platform/db/db';
import { isSameSecret } from '#platform/secrets/token';
import { isInBlocks } from '#platform/values/address';
import { selectCredential } from './queries.ts';
import { parseToken } from './token.ts';

export type KeyVerdict =
  | { actor: KeyActor }
  | { refused: 'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked' }
  /** The key is good and the caller's address is not on its list: surfaces that answer later still know whose key it is. */
  | { refused: 'address'; actor: KeyActor };

export interface Credentials {
  authorization: string | undefined;
  address: string;
}

/** Who is calling, by the `Authorization` header and the caller's address; at most one indexed query. */
export async function authenticateKey(
  { db, now }: { db: Db; now: Date },
  { authorization, address }: Credentials,
): Promise<KeyVerdict> {
  const presented = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (presented === undefined) return { refused: 'missing' };
  const token = parseToken(presented);
  if (!token) return { refused: 'malformed' };

  const key = await selectCredential(db, token.id);
  if (!isSameSecret(token.secretSha256, key?.secretSha256) || !key) return { refused: 'unknown' };
  if (key.revokedAt) return { refused: 'revoked' };
  if (key.expiresAt && key.expiresAt <= now) return { refused: 'expired' };

  const { partnerId, userId, scopes } = key;
  const actor: KeyActor = { kind: 'key', keyId: token.id, partnerId, userId, scopes };
  const isAllowedAddress = key.ipAllowlist.length === 0 || isInBlocks(address, key.ipAllowlist);
  return isAllowedAddress ? { actor } : { refused: 'address', actor };
}
