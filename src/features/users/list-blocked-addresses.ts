import { checksumAddress } from '#adapters/evm';
import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { selectBlockedAddresses } from './queries/blocked.ts';

export interface ListedAddress {
  address: string;
  reason: string;
  blockedAt: string;
}

/** Addresses that may not receive tokens, in a stable order. */
export async function listBlockedAddresses(ctx: Ctx, input: CursorInput): Promise<CursorPage<ListedAddress>> {
  const { limit = 50 } = input;
  const after = decodeCursor('users.list-blocked-addresses', input.cursor, /^0x[0-9a-f]{40}$/);
  const rows = await selectBlockedAddresses(ctx.db, { after, limit: limit + 1 });
  const page = toCursorPage('users.list-blocked-addresses', rows, limit, ({ address }) => address);
  const items = page.items.map(({ address, reason, blockedAt }) => ({
    address: checksumAddress(address),
    reason,
    blockedAt: blockedAt.toISOString(),
  }));
  return { ...page, items };
}
