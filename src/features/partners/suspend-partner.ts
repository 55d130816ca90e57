import type { Ctx } from '#context';
import { setSuspension } from '#features/audit';
import type { Db } from '#platform/db/db';
import { partnerErrors } from './errors.ts';
import { selectPartnerForUpdate, updatePartnerSuspension } from './queries.ts';
import { presentPartner } from './wire.ts';

/**
 * Refuses all keys of the partner from the next request on. Payouts that are not signed yet wait. Repeating
 * it renews reason and instant.
 */
export const suspendPartner = (ctx: Ctx, { partnerId, reason }: { partnerId: string; reason: string }) =>
  setSuspension(ctx, { ...parts(partnerId), action: 'partners.suspend', reason });

/** Ends a suspension; without one it has no effect. */
export const resumePartner = (ctx: Ctx, { partnerId }: { partnerId: string }) =>
  setSuspension(ctx, { ...parts(partnerId), action: 'partners.resume', reason: null });

const parts = (partnerId: string) => ({
  kind: 'partner',
  store: updatePartnerSuspension,
  present: presentPartner,
  lock: async (db: Db) => {
    const row = await selectPartnerForUpdate(db, partnerId);
    if (!row) throw partnerErrors.partnerNotFound();
    return row;
  },
});
