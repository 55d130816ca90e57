import { checksumAddress, type Network, parseAddress } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { payoutErrors } from './errors.ts';
import { insertSigner, selectSigner, updateHalted } from './queries/signers.ts';

export interface WalletToHalt {
  network: string;
  address: string;
  reason: string;
}

/**
 * Halts a wallet on every worker, also one that has not paid yet. One that is already halted keeps its first
 * reason, without an error.
 */
export function haltWallet(
  ctx: Ctx,
  { network, address, reason }: WalletToHalt,
): Promise<{ network: string; address: string; haltedReason: string }> {
  const wallet = parseAddress(address);
  if (!wallet || !ctx.evm.has(network as Network)) throw payoutErrors.walletNotFound();
  return inTransaction(ctx, async (ctx) => {
    const { db, now } = ctx;
    const where = { network, address: wallet };
    await insertSigner(db, { ...where, now });
    if (await updateHalted(db, { ...where, reason, now })) {
      await recordChange(ctx, {
        action: 'wallets.halt',
        subject: `wallet:${network}:${wallet}`,
        before: null,
        after: { haltedReason: reason },
      });
    }
    const { haltedReason } = (await selectSigner(db, network, wallet))!;
    return { network, address: checksumAddress(wallet), haltedReason: haltedReason! };
  });
}
