import { type Network, parseAddress } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { partnerErrors, partnerExists } from '#features/partners';
import { invalidField } from '#platform/errors/errors';
import { ruleErrors } from '../errors.ts';
import { operatorName } from '../operator-name.ts';
import { deleteAddress, insertAddress } from './queries.ts';
import { type BookEntry, presentAddress } from './wire.ts';

export interface NewAddress {
  address: string;
  name: string;
  partnerId?: string;
  network?: string;
}

/**
 * Adds an address that rules can name as `book`.
 * @example
 * await addAddress(ctx, { address, name: 'Treasury of Lumen', partnerId });
 */
export function addAddress(ctx: Ctx, input: NewAddress): Promise<BookEntry> {
  return inTransaction(ctx, async (ctx) => {
    const address = parseAddress(input.address);
    if (!address) throw invalidField('address', 'must be 0x and 40 hex digits');
    const { name, partnerId = null, network = null } = input;
    if (network !== null && !ctx.evm.has(network as Network))
      throw invalidField('network', 'is not configured');
    if (partnerId !== null && !(await partnerExists(ctx.db, partnerId)))
      throw partnerErrors.partnerNotFound();
    const addedBy = operatorName(ctx);
    const entry = { address, name, partnerId, network, addedBy, addedAt: ctx.now };
    const row = await insertAddress(ctx.db, entry);
    if (!row) throw ruleErrors.addressKnown();
    const added = presentAddress(row);
    await recordChange(ctx, { action: 'addresses.add', subject: `address:${address}`, after: added });
    return added;
  });
}

/** Takes an entry out of the book. Payments that are not signed yet are judged without it. */
export function removeAddress(ctx: Ctx, { id }: { id: string }): Promise<BookEntry> {
  return inTransaction(ctx, async (ctx) => {
    const row = await deleteAddress(ctx.db, id);
    if (!row) throw ruleErrors.addressNotFound();
    const removed = presentAddress(row);
    await recordChange(ctx, {
      action: 'addresses.remove',
      subject: `address:${row.address}`,
      before: removed,
    });
    return removed;
  });
}
