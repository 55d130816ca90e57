import { type Ctx, inTransaction, type PartnerAdmin } from '#context';
import { revokeKey } from '../revoke-key.ts';
import type { ListedKey } from '../wire.ts';
import { findOwnKey } from './find-own-key.ts';

/** Revokes any key of the partner, also the one that calls: who may manage keys may always stop one. */
export function revokeOwnKey(ctx: Ctx<PartnerAdmin>, { keyId }: { keyId: string }): Promise<ListedKey> {
  return inTransaction(ctx, async (ctx) => {
    await findOwnKey(ctx, { keyId });
    await revokeKey(ctx, { keyId });
    return findOwnKey(ctx, { keyId });
  });
}
