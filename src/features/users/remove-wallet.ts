import { checksumAddress, networks } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { userErrors } from './errors.ts';
import { selectUserForUpdate } from './queries/users.ts';
import { deleteWallet, hasOpenCredit, lockAddress, selectWallet } from './queries/wallets.ts';

export interface RemovedWallet {
  userId: string;
  network: string;
  /** The address that was removed; null if there was none. */
  removed: string | null;
}

/**
 * Removes the wallet of a user on a network. It is refused while a withdrawal to the wallet is in progress
 * that will be credited to the user. Repeating it has no effect.
 */
export function removeWallet(ctx: Ctx, input: { userId: string; network: string }): Promise<RemovedWallet> {
  return inTransaction(ctx, async (ctx) => {
    const network = networks.find((name) => name === input.network.toLowerCase());
    if (!network) throw userErrors.unknownNetwork();
    // The address before the user, as in `users.add-wallet`: in another order, the two could deadlock.
    const seen = await selectWallet(ctx.db, input.userId, network);
    if (seen) await lockAddress(ctx.db, seen.address);
    const user = await selectUserForUpdate(ctx.db, input.userId);
    if (!user) throw userErrors.userNotFound();
    const wallet = await selectWallet(ctx.db, user.id, network);
    if (!wallet) return { userId: user.id, network, removed: null };
    const { address, custody } = wallet;
    if (address !== seen?.address) throw userErrors.walletChanged();
    if (await hasOpenCredit(ctx.db, network, address)) throw userErrors.walletInUse();
    await deleteWallet(ctx.db, user.id, network);
    const removed = checksumAddress(address);
    await recordChange(ctx, {
      action: 'users.remove-wallet',
      subject: `user:${user.id}`,
      before: { network, address: removed, custody },
    });
    return { userId: user.id, network, removed };
  });
}
