import type { Ctx } from '#context';
import { byId, type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { parseEmail } from './email.ts';
import { selectIdsByEmail } from './queries/emails.ts';
import { selectUsers } from './queries/users.ts';
import { presentUser, presentWallet, type UserView } from './wire.ts';

export interface ListUsers extends CursorInput {
  email?: string;
  userId?: string;
  /** Of one of their wallets. */
  address?: string;
}

export type UserWithWallets = UserView & { wallets: ReturnType<typeof presentWallet>[] };

/** Users with their wallets, oldest first. */
export const listUsers = (
  ctx: Ctx,
  { email, userId: id, address, ...input }: ListUsers,
): Promise<CursorPage<UserWithWallets>> =>
  readCursorPage(byId('users.list'), input, async (from) => {
    const ids = email === undefined ? undefined : await selectIdsByEmail(ctx.db, parseEmail(email));
    const rows = await selectUsers(ctx.db, { ids, id, address: address?.toLowerCase(), ...from });
    return rows.map(({ wallets, ...row }) => ({ ...presentUser(row), wallets: wallets.map(presentWallet) }));
  });
