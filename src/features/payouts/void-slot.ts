import { parseAddress, readKnown } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { askNode } from './ask-node.ts';
import { payoutErrors } from './errors.ts';
import { updateVoid } from './found/queries.ts';
import { countSends } from './queries/attempts.ts';
import { lockSigner, selectSigner } from './queries/signers.ts';
import { selectOpenSlots } from './queries/slots.ts';
import { isServerTrusted } from './server.ts';

export interface SlotToVoid {
  network: string;
  address: string;
  nonce: number;
}

/**
 * Voids the nonce of a signed payout: the payout is signed again, and the nonce is assigned again. The proof
 * that its bytes were never sent: no send was recorded, which happens before each send, the database lost
 * nothing since, and no node has them.
 */
export async function voidSlot(
  ctx: Ctx,
  { network, address, nonce }: SlotToVoid,
): Promise<{ withdrawalId: string; nonce: number }> {
  const wallet = parseAddress(address);
  if (!wallet || !(await selectSigner(ctx.db, network, wallet))) throw payoutErrors.walletNotFound();
  const where = { network, address: wallet };
  const readSlot = async (db: Ctx['db']) => {
    const [slot] = await selectOpenSlots(db, { ...where, from: nonce, below: nonce + 1, limit: 1 });
    return slot;
  };
  const hashes = (await readSlot(ctx.db))?.attempts.map(({ hash }) => hash) ?? [];
  const known = await askNode(ctx, network, async ({ node }) =>
    (await Promise.all(node.providers.map((provider) => readKnown(provider, hashes)))).flat(),
  );
  return inTransaction(ctx, async (ctx) => {
    const signer = (await lockSigner(ctx.db, network, wallet))!;
    if (signer.haltedAt === null) throw payoutErrors.walletNotHalted();
    if (!isServerTrusted(ctx, signer)) throw payoutErrors.serverChanged();
    const slot = await readSlot(ctx.db);
    if (!slot) throw payoutErrors.payoutNotFound();
    if (known.length > 0 || (await countSends(ctx.db, { ...where, nonce: slot.nonce })) > 0)
      throw payoutErrors.payoutSent();
    await updateVoid(ctx.db, { ...where, now: ctx.now }, [{ nonce: slot.nonce, minedHash: null }]);
    await recordChange(ctx, {
      action: 'wallets.void',
      subject: `withdrawal:${slot.withdrawalId}`,
      before: { status: 'processing', nonce },
      after: { status: 'pending' },
    });
    return { withdrawalId: slot.withdrawalId, nonce };
  });
}
