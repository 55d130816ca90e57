import { type Network, parseAddress } from '#adapters/evm';
import { type Ctx, inTransaction, type PartnerAdmin } from '#context';
import { recordChange } from '#features/audit';
import { invalidField } from '#platform/errors/errors';
import { ruleErrors } from '../../errors.ts';
import { holdBookkeeper } from './hold-bookkeeper.ts';
import { countProposals, insertProposal } from './queries.ts';
import { type OwnAddress, partnerMark, presentOwnAddress } from './wire.ts';

const proposalsMax = 100;

export interface ProposedAddress {
  address: string;
  name: string;
  network?: string;
}

/**
 * Proposes an address for the partner's book. Rules do not see it until another person confirms it, so a
 * stolen key, or one person alone, adds no recipient.
 * @example
 * await proposeAddress(ctx, { address, name: 'Payroll' });
 */
export function proposeAddress(ctx: Ctx<PartnerAdmin>, input: ProposedAddress): Promise<OwnAddress> {
  return inTransaction(ctx, async (ctx) => {
    const { actor, db, now } = ctx;
    const { partnerId } = actor;
    const address = parseAddress(input.address);
    if (!address) throw invalidField('address', 'must be 0x and 40 hex digits');
    const { name, network = null } = input;
    if (network !== null && !ctx.evm.has(network as Network))
      throw invalidField('network', 'is not configured');
    if (actor.kind === 'person') await holdBookkeeper({ ...ctx, actor });
    if ((await countProposals(db, partnerId)) >= proposalsMax) throw ruleErrors.tooManyProposals();
    const isKey = actor.kind === 'key';
    const row = await insertProposal(db, {
      partnerId,
      network,
      address,
      name,
      proposedBy: isKey ? `key:${actor.keyId}` : `person:${actor.personId}`,
      personId: isKey ? null : actor.personId,
      keyId: isKey ? actor.keyId : null,
      proposedAt: now,
    });
    if (!row) throw ruleErrors.addressKnown();
    const addedBy = partnerMark + row.proposedBy;
    const proposed = presentOwnAddress({ ...row, addedBy, addedAt: row.proposedAt, isWaiting: true });
    const after = { ...proposed, partnerId };
    await recordChange(ctx, { action: 'addresses.propose', subject: `address:${address}`, after });
    return proposed;
  });
}
