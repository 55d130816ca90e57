import { type Ctx, inTransaction, type PartnerAdmin } from '#context';
import { recordChange } from '#features/audit';
import { uuidForm } from '#platform/http/schemas';
import { ruleErrors } from '../../errors.ts';
import { deleteAddress } from '../queries.ts';
import { holdBookkeeper } from './hold-bookkeeper.ts';
import { deleteProposal, selectOwnAddresses } from './queries.ts';
import { isByPartner, type OwnAddress, presentOwnAddress } from './wire.ts';

/** Removes what the partner added or proposed. Payments that are not signed yet are judged without it. */
export function removeOwnAddress(
  ctx: Ctx<PartnerAdmin>,
  { addressId }: { addressId: string },
): Promise<OwnAddress> {
  return inTransaction(ctx, async (ctx) => {
    const { actor, db } = ctx;
    const { partnerId } = actor;
    if (actor.kind === 'person') await holdBookkeeper({ ...ctx, actor });
    const id = addressId.toLowerCase();
    const [row] = uuidForm.test(id) ? await selectOwnAddresses(db, { partnerId, id, limit: 1 }) : [];
    if (!row) throw ruleErrors.addressNotFound();
    if (!isByPartner(row)) throw ruleErrors.addedByOperator();
    const isRemoved = await (row.isWaiting ? deleteProposal(db, id) : deleteAddress(db, id));
    // Confirmed meanwhile, it is another entry: the caller must look again.
    if (!isRemoved) throw ruleErrors.addressNotFound();
    const removed = presentOwnAddress(row);
    await recordChange(ctx, {
      action: 'addresses.remove',
      subject: `address:${row.address}`,
      before: { ...removed, partnerId },
    });
    return removed;
  });
}
