import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { recordEvent } from '#features/events';
import { hourMs } from '#platform/values/duration';
import { keyErrors } from './errors.ts';
import { type IssuedKey, latestExpiry, storeNewKey } from './issue-key.ts';
import { type KeyRow, selectKeyForUpdate, updateKeyEnd } from './queries.ts';
import { presentKey } from './wire.ts';

export interface Rotation {
  keyId: string;
  /** Default: 24. */
  overlapHours?: number;
}

/**
 * Issues a key with the old one's terms; the old one expires after `overlapHours`, or earlier if it would
 * have. The new one expires at `expiresMax` at the latest.
 */
export function rotateKey(
  ctx: Ctx,
  { keyId, overlapHours = 24 }: Rotation,
  expiresMax: Date = latestExpiry,
): Promise<IssuedKey> {
  return inTransaction(ctx, async (ctx) => {
    const old = await selectKeyForUpdate(ctx.db, keyId);
    if (!old) throw keyErrors.keyNotFound();
    const hasExpired = old.expiresAt !== null && old.expiresAt <= ctx.now;
    if (old.revokedAt || old.rotatedAt || hasExpired) throw keyErrors.keyEnded();
    if (old.suspendedAt) throw keyErrors.keySuspended();

    const overlapEndsAt = new Date(ctx.now.getTime() + overlapHours * hourMs);
    const expiresAt = old.expiresAt && old.expiresAt < overlapEndsAt ? old.expiresAt : overlapEndsAt;
    const ended: KeyRow = { ...old, expiresAt, rotatedAt: ctx.now };
    await updateKeyEnd(ctx.db, ended);
    const { name, partnerId, userId, scopes, ipAllowlist } = old;
    const successor = await storeNewKey(ctx, 'keys.issue', {
      name,
      partnerId,
      userId,
      scopes,
      ipAllowlist,
      expiresAt: old.expiresAt && expiryOfSuccessor(old, ctx.now, expiresMax),
      rotatedFrom: old.id,
      issuedByKey: ctx.actor.kind === 'key' ? ctx.actor.keyId : old.issuedByKey,
    });
    await recordEvent(ctx, {
      type: 'key.rotated',
      resource: `key:${old.id}`,
      partnerId,
      facts: {
        id: old.id,
        replacedBy: successor.id,
        expiresAt: expiresAt.toISOString(),
        revokedAt: null,
      },
    });
    await recordChange(ctx, {
      action: 'keys.rotate',
      subject: `key:${old.id}`,
      before: presentKey(old),
      after: presentKey(ended),
    });
    return successor;
  });
}

/** The new key has the old one's lifetime, counted from now. */
function expiryOfSuccessor({ createdAt, expiresAt }: KeyRow, now: Date, expiresMax: Date): Date {
  const lifetimeMs = expiresAt!.getTime() - createdAt.getTime();
  return new Date(Math.min(now.getTime() + lifetimeMs, expiresMax.getTime()));
}
