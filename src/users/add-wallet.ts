import { recordChange } from '../audit/index.ts';
import { type Ctx, inTransaction } from '../context.ts';
import { checksumAddress, parseAddress } from '../evm/index.ts';
import { violates } from '../platform/db.ts';
import { userErrors } from './errors.ts';
import { selectUserForUpdate, selectWallet, upsertWallet } from './queries.ts';

export interface NewWallet {
  userId: string;
  network: string;
  address: string;
}

/** Records the verified smart wallet of a user on a network; one already there is replaced. */
export function addWallet(ctx: Ctx, input: NewWallet): Promise<NewWallet> {
  return inTransaction(ctx, async (ctx) => {
    const address = parseAddress(input.address);
    if (!address) throw userErrors.invalidAddress();
    const network = input.network.toLowerCase();
    const user = await selectUserForUpdate(ctx.db, input.userId);
    if (!user) throw userErrors.userNotFound();
    const before = await selectWallet(ctx.db, user.id, network);
    await upsertWallet(ctx.db, { userId: user.id, network, address, verifiedAt: ctx.now }).catch((error) => {
      throw violates(error, 'user_wallets_address_key') ? userErrors.walletTaken({ cause: error }) : error;
    });
    await recordChange(ctx, {
      action: 'users.add-wallet',
      subject: `user:${user.id}`,
      before: before ? { network, address: checksumAddress(before) } : null,
      after: { network, address: checksumAddress(address) },
    });
    return { userId: user.id, network, address: checksumAddress(address) };
  });
}
