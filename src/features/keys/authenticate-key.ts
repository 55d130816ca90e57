import type { KeyActor } from '#context';
import type { Db } from '#platform/db/db';
import { checkToken, type TokenFault } from '#platform/secrets/token';
import { isInBlocks } from '#platform/values/address';
import { noteUse } from './note-use.ts';
import { selectCredential } from './queries.ts';
import { parseToken } from './token.ts';

export type KeyVerdict =
  | { actor: KeyActor }
  | { refused: TokenFault | 'suspended' | 'off-list' }
  /**
   * The key is valid, but not from this address. The actor is included for callers that need to know whose
   * key it is.
   */
  | { refused: 'address'; actor: KeyActor };

export interface Credentials {
  authorization: string | undefined;
  address: string;
}

/**
 * Who is calling, by the `Authorization` header and the caller's address. At most one indexed query, and one
 * write a minute for a key, which nobody waits for.
 */
export async function authenticateKey(
  { db, now }: { db: Db; now: Date },
  { authorization, address }: Credentials,
): Promise<KeyVerdict> {
  const presented = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const find = (keyId: string) => selectCredential(db, keyId);
  const found = await checkToken({ parse: parseToken, find }, presented, now);
  if ('refused' in found) return found;
  const { id: keyId, stored: key } = found;
  if (key.isSuspended) return { refused: 'suspended' };
  if (key.isOffList) return { refused: 'off-list' };
  const { partnerId, userId, scopes } = key;
  const actor: KeyActor = { kind: 'key', keyId, partnerId, userId, scopes };
  const isAllowedAddress = key.ipAllowlist.length === 0 || isInBlocks(address, key.ipAllowlist);
  if (!isAllowedAddress) return { refused: 'address', actor };
  noteUse({ db, now }, keyId);
  return { actor };
}
