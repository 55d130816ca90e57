import { checksumAddress, parseAddress } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { userErrors } from './errors.ts';
import { deleteBlockedAddress, insertBlockedAddress } from './queries/blocked.ts';

export interface BlockedAddress {
  address: string;
  blocked: boolean;
}

/**
 * Blocks an address from receiving tokens, on any network. It is no error if it is already blocked.
 * @example
 * await blockAddress(ctx, { address, reason: 'Sanctions list' });
 */
export function blockAddress(ctx: Ctx, input: { address: string; reason: string }): Promise<BlockedAddress> {
  return inTransaction(ctx, async (ctx) => {
    const address = requireAddress(input.address);
    if (await insertBlockedAddress(ctx.db, address, input.reason, ctx.now)) {
      await recordChange(ctx, {
        action: 'users.block-address',
        subject: `address:${address}`,
        after: { reason: input.reason },
      });
    }
    return { address: checksumAddress(address), blocked: true };
  });
}

/** Unblocks an address; repeating it has no effect. */
export function unblockAddress(ctx: Ctx, input: { address: string }): Promise<BlockedAddress> {
  return inTransaction(ctx, async (ctx) => {
    const address = requireAddress(input.address);
    const reason = await deleteBlockedAddress(ctx.db, address);
    if (reason !== undefined) {
      await recordChange(ctx, {
        action: 'users.unblock-address',
        subject: `address:${address}`,
        before: { reason },
      });
    }
    return { address: checksumAddress(address), blocked: false };
  });
}

function requireAddress(text: string): string {
  const address = parseAddress(text);
  if (!address) throw userErrors.invalidAddress();
  return address;
}
