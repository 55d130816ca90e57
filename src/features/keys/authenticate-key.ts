import type { KeyActor } from '#context';
import type { UserAccess } from '#features/partners';
import type { Db } from '#platform/db/db';
import type { RequestOwner } from '#platform/http/caller';
import { checkToken, type TokenFault } from '#platform/secrets/token';
import { isInBlocks } from '#platform/values/address';
import { noteUse } from './note-use.ts';
import { type KeyCredential, selectCredential, selectCredentialFor } from './queries.ts';
import { parseToken } from './token.ts';

/** `owner` is there if the key exists and its secret was right. */
export type KeyVerdict = { owner?: RequestOwner } & (
  | { actor: KeyActor; access?: UserAccess | undefined }
  | { refused: TokenFault | 'suspended' | 'off-list' }
  /**
   * The key is valid, but not from this address. The actor is included for callers that need to know whose
   * key it is.
   */
  | { refused: 'address'; actor: KeyActor }
);

export interface Credentials {
  authorization: string | undefined;
  address: string;
  /** A UUID: whether the key's partner may act for this user is read with the key. */
  forUser?: string | undefined;
}

/**
 * Who is calling, by the `Authorization` header and the caller's address. At most one indexed query, and one
 * write a minute for a key, which nobody waits for. A replica may answer the query if it has everything that
 * was committed before the request, so that a revocation holds from the next request on.
 */
export async function authenticateKey(
  { db, now, readingDb = db }: { db: Db; now: Date; readingDb?: Db },
  { authorization, address, forUser }: Credentials,
): Promise<KeyVerdict> {
  const presented = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const find = (keyId: string): Promise<(KeyCredential & { access?: UserAccess }) | undefined> =>
    forUser === undefined
      ? selectCredential(readingDb, keyId)
      : selectCredentialFor(readingDb, { keyId, userId: forUser });
  const found = await checkToken({ parse: parseToken, find }, presented, now);
  if ('refused' in found) {
    const { refused, ended } = found;
    return { refused, ...(ended && { owner: ownerOf(ended) }) };
  }
  const { id: keyId, stored: key } = found;
  const owner = ownerOf(key);
  if (key.isSuspended) return { refused: 'suspended', owner };
  if (key.isOffList) return { refused: 'off-list', owner };
  const { partnerId, userId, scopes } = key;
  const actor: KeyActor = { kind: 'key', keyId, partnerId, userId, scopes };
  const isAllowedAddress = key.ipAllowlist.length === 0 || isInBlocks(address, key.ipAllowlist);
  if (!isAllowedAddress) return { refused: 'address', actor, owner };
  noteUse({ db, now }, keyId);
  return { actor, owner, access: key.access };
}

const ownerOf = ({ id, partnerId }: KeyCredential): RequestOwner => ({ partnerId, keyId: id });
