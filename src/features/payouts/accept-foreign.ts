import { matchTransfer, parseAddress, paysAnything, type SentTransfer } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { releaseHeld } from '#features/ledger';
import { askNode } from './ask-node.ts';
import { payoutErrors } from './errors.ts';
import { bindFound } from './found/bind-found.ts';
import { giveUpTaken } from './found/give-up-taken.ts';
import { updateAccepted, updateMatchedByKey, updateSignedAgain } from './found/queries.ts';
import { insertAttempts } from './queries/attempts.ts';
import { updateSettled } from './queries/settled.ts';
import { lockSigners, type SignerRow } from './queries/signers.ts';
import { lockOpenSlots, type OpenSlot, selectOpenSlots } from './queries/slots.ts';
import { readFinal } from './read-final.ts';
import { surelyUnsent } from './server.ts';

export interface ForeignTransaction {
  network: string;
  address: string;
  transactionHash: string;
}

export interface Accepted {
  withdrawalId: string;
  /** `requeued`: the transaction paid another withdrawal, so this one gets another nonce. */
  outcome: 'failed' | 'paid' | 'requeued';
}

/**
 * Settles a payout whose nonce was used by a transaction that this database does not have, which proves that
 * our own will never be mined. Every node must agree on that transaction's receipt:
 * - It has the mark of another withdrawal: that one was paid, and this one gets another nonce.
 * - It paid exactly this withdrawal: its bytes are stored, and settling finds it, as with a transfer that was
 *   signed before a restore.
 * - It paid the recipient nothing: the withdrawal failed, and its hold is released.
 * - Anything else is refused.
 */
export async function acceptForeign(
  ctx: Ctx,
  { network: name, address, transactionHash }: ForeignTransaction,
): Promise<Accepted> {
  const wallet = parseAddress(address);
  if (!wallet) throw payoutErrors.walletNotFound();
  const hash = transactionHash.toLowerCase();
  const foreign = await askNode(ctx, name, (network) => readFinal(network, hash));
  const { nonce, transfer, receipt } = foreign;
  const where = { network: name, address: wallet };
  return inTransaction(ctx, async (ctx) => {
    const { db, now } = ctx;
    const signers = await lockSigners(db, name);
    const [slot] = await selectOpenSlots(db, { ...where, from: nonce, below: nonce + 1, limit: 1 });
    const isOurs = slot?.attempts.some((attempt) => attempt.hash === hash);
    if (foreign.from !== wallet || !slot || isOurs) throw payoutErrors.transactionNotForeign();
    const locked = await lockOpenSlots(db, { ...where, nonces: [slot.nonce] });
    if (!locked.has(slot.nonce)) throw payoutErrors.transactionNotForeign();
    const { tokenAddress: token, toAddress: to, amount } = slot;
    const isPaid = matchTransfer(receipt, { token, from: wallet, to, amount }).kind === 'exact';
    const isUnclear = isPaid ? !transfer : paysAnything(receipt, { token, from: wallet, to });
    const isOfAnother = transfer?.reference !== undefined && transfer.reference !== slot.withdrawalId;
    if (isUnclear && !isOfAnother) throw payoutErrors.transactionUnclear();
    const outcome = isOfAnother ? 'requeued' : isPaid ? 'paid' : 'failed';
    if (outcome === 'requeued') await requeue(ctx, where, { slot, transfer: transfer!, signers });
    else if (outcome === 'paid')
      await insertAttempts(db, { ...where, now, isSent: true }, [{ ...transfer!, nonce: slot.nonce }]);
    else await fail(ctx, where, slot, hash);
    await recordChange(ctx, {
      action: 'wallets.accept-foreign',
      subject: `withdrawal:${slot.withdrawalId}`,
      before: { status: 'processing' },
      after: { outcome, transactionHash: hash },
    });
    return { withdrawalId: slot.withdrawalId, outcome };
  });
}

/** The operator names the transaction, so it is accepted even if its withdrawal is not here. */
async function requeue(
  ctx: Ctx,
  where: { network: string; address: string },
  { slot, transfer, signers }: { slot: OpenSlot; transfer: SentTransfer; signers: readonly SignerRow[] },
): Promise<void> {
  const named = { ...where, now: ctx.now };
  await giveUpTaken(ctx, named, { taken: [slot], transfers: [transfer], filled: new Map() });
  await updateMatchedByKey(ctx.db, where.network);
  const unsent = surelyUnsent(ctx, signers, where.address);
  await updateSignedAgain(ctx.db, { ...named, addresses: [...new Set([...unsent, where.address])] });
  await bindFound(ctx, where.network, transfer.hash);
  await updateAccepted(ctx.db, named, [transfer.hash]);
}

async function fail(
  { db, now }: Ctx,
  where: { network: string; address: string },
  { userId, currency, amount, nonce, withdrawalId }: OpenSlot,
  minedHash: string,
): Promise<void> {
  await releaseHeld(db, [{ userId, network: where.network, currency, amount }]);
  const errorMessage = 'Its nonce was used by another transaction';
  await updateSettled(db, { ...where, now }, [
    { nonce, withdrawalId, minedHash, status: 'failed', transferStatus: 'replaced', errorMessage },
  ]);
}
