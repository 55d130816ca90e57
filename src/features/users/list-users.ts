import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
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
export async function listUsers(ctx: Ctx, input: ListUsers): Promise<CursorPage<UserWithWallets>> {
  const { limit = 50 } = input;
  const after = decodeCursor('users.list', input.cursor, uuidForm);
  const ids = input.email === undefined ? undefined : await selectIdsByEmail(ctx.db, parseEmail(input.email));
  const address = input.address?.toLowerCase();
  const filter = { ids, id: input.userId, address, after };
  const rows = await selectUsers(ctx.db, { ...filter, limit: limit + 1 });
  const users = rows.map(({ wallets, ...row }) => ({
    ...presentUser(row),
    wallets: wallets.map(presentWallet),
  }));
  return toCursorPage('users.list', users, limit, (user) => user.id);
}
