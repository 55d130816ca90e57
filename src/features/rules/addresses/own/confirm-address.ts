import { type Ctx, inTransaction, type PartnerStaffActor } from '#context';
import { recordChange } from '#features/audit';
import { uuidForm } from '#platform/http/schemas';
import { ruleErrors } from '../../errors.ts';
import { insertAddress } from '../queries.ts';
import { holdBookkeeper } from './hold-bookkeeper.ts';
import { deleteProposal, lockProposal } from './queries.ts';
import { type OwnAddress, partnerMark, presentOwnAddress } from './wire.ts';

/** Puts a proposed address into the book. Another person must have proposed it, and still be able to. */
export function confirmAddress(
  ctx: Ctx<PartnerStaffActor>,
  { addressId }: { addressId: string },
): Promise<OwnAddress> {
  return inTransaction(ctx, async (ctx) => {
    const { partnerId, personId } = ctx.actor;
    await holdBookkeeper(ctx);
    const id = addressId.toLowerCase();
    const proposal = uuidForm.test(id) ? await lockProposal(ctx.db, { id, partnerId }) : undefined;
    if (!proposal) throw ruleErrors.addressNotFound();
    if (proposal.personId === personId) throw ruleErrors.ownProposal();
    if (!proposal.counts) throw ruleErrors.proposerGone();
    const { address, name, network, proposedBy } = proposal;
    const addedBy = `${partnerMark}${proposedBy} person:${personId}`;
    const row = await insertAddress(ctx.db, { address, name, partnerId, network, addedBy, addedAt: ctx.now });
    if (!row) throw ruleErrors.addressKnown();
    await deleteProposal(ctx.db, id);
    const added = presentOwnAddress({ ...row, isWaiting: false });
    await recordChange(ctx, {
      action: 'addresses.add',
      subject: `address:${address}`,
      after: { ...added, partnerId },
    });
    return added;
  });
}
