import { type Ctx, inTransaction, type PartnerAdmin } from '#context';
import type { IssuedKey } from '../issue-key.ts';
import { type Rotation, rotateKey } from '../rotate-key.ts';
import { findOwnKey } from './find-own-key.ts';
import { requireRoom } from './require-room.ts';
import { holdRights, requireWithin } from './rights.ts';

/** Replaces a key of the partner, whose terms the actor could give: the answer has a token for them. */
export function rotateOwnKey(ctx: Ctx<PartnerAdmin>, rotation: Rotation): Promise<IssuedKey> {
  return inTransaction(ctx, async (ctx) => {
    const { id } = await findOwnKey(ctx, rotation);
    const { rights, keys } = await holdRights(ctx, [id]);
    requireWithin(rights, keys.find((key) => key.id === id)!);
    // Without an overlap, one key takes the place of another.
    if (rotation.overlapHours !== 0) await requireRoom(ctx);
    return rotateKey(ctx, rotation, rights.expiresAt ?? undefined);
  });
}
