import { isDeepStrictEqual } from 'node:util';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { keyErrors } from './errors.ts';
import { parseExpiry, requireAddressBlocks, requireOneKind } from './issue-key.ts';
import { type KeyRow, selectKeyForUpdate, updateKeyTerms } from './queries.ts';
import { completeScopes } from './scopes.ts';
import { type KeyView, presentKey } from './wire.ts';

export interface KeyChange {
  keyId: string;
  name?: string;
  /** A list without one of our scopes leaves those as they are. */
  scopes?: string[];
  ipAllowlist?: string[];
  /** Null: it no longer expires. */
  expiresAt?: string | null;
}

/** Changes the terms of a key that still works; terms that are left out stay as they are. */
export function updateKey(ctx: Ctx, { keyId, ...change }: KeyChange): Promise<KeyView> {
  return inTransaction(ctx, async (ctx) => {
    const before = await selectKeyForUpdate(ctx.db, keyId);
    if (!before) throw keyErrors.keyNotFound();
    const hasExpired = before.expiresAt !== null && before.expiresAt <= ctx.now;
    if (before.revokedAt || before.rotatedAt || hasExpired) throw keyErrors.keyEnded();
    const { name = before.name, ipAllowlist = before.ipAllowlist } = change;
    requireAddressBlocks(ipAllowlist);
    requireOneKind(change.scopes ?? []);
    const scopes = change.scopes ? completeScopes(change.scopes, before.scopes) : before.scopes;
    const after: KeyRow = { ...before, name, ipAllowlist, scopes };
    if (change.expiresAt === null) after.expiresAt = null;
    else if (change.expiresAt !== undefined) after.expiresAt = parseExpiry(change.expiresAt, ctx.now);
    const [former, key] = [presentKey(before), presentKey(after)];
    if (isDeepStrictEqual(former, key)) return key;
    await updateKeyTerms(ctx.db, after);
    await recordChange(ctx, { action: 'keys.update', subject: `key:${keyId}`, before: former, after: key });
    return key;
  });
}
