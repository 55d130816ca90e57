import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { partnerErrors } from './errors.ts';
import { selectPartnerForUpdate, updatePartnerSuspension } from './queries.ts';
import { type PartnerView, presentPartner } from './wire.ts';

/**
 * Refuses all keys of the partner from the next request on. Payouts that are not signed yet wait. Repeating
 * it has no effect.
 */
export const suspendPartner = (ctx: Ctx, { partnerId, reason }: { partnerId: string; reason: string }) =>
  setSuspension(ctx, 'partners.suspend', partnerId, reason);

/** Ends a suspension; without one it has no effect. */
export const resumePartner = (ctx: Ctx, { partnerId }: { partnerId: string }) =>
  setSuspension(ctx, 'partners.resume', partnerId, null);

function setSuspension(ctx: Ctx, action: string, id: string, reason: string | null): Promise<PartnerView> {
  return inTransaction(ctx, async (ctx) => {
    const before = await selectPartnerForUpdate(ctx.db, id);
    if (!before) throw partnerErrors.partnerNotFound();
    if ((before.suspendedAt === null) === (reason === null)) return presentPartner(before);
    const after = { ...before, suspendedAt: reason === null ? null : ctx.now, suspendedReason: reason };
    await updatePartnerSuspension(ctx.db, after);
    const [former, partner] = [presentPartner(before), presentPartner(after)];
    await recordChange(ctx, { action, subject: `partner:${before.id}`, before: former, after: partner });
    return partner;
  });
}
