import { checksumAddress } from '#adapters/evm';
import type { Ctx } from '#context';
import { type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { selectBlockedAddresses } from './queries/blocked.ts';

export interface ListedAddress {
  address: string;
  reason: string;
  blockedAt: string;
}

/** Addresses that may not receive tokens, in a stable order. */
export const listBlockedAddresses = (ctx: Ctx, input: CursorInput): Promise<CursorPage<ListedAddress>> => {
  const keyOf = ({ address }: ListedAddress) => address.toLowerCase();
  const list = { name: 'users.list-blocked-addresses', keyForm: /^0x[0-9a-f]{40}$/, keyOf };
  return readCursorPage(list, input, async (from) => {
    const rows = await selectBlockedAddresses(ctx.db, from);
    return rows.map(({ address, reason, blockedAt }) => ({
      address: checksumAddress(address),
      reason,
      blockedAt: blockedAt.toISOString(),
    }));
  });
};
