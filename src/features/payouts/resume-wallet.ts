import { parseAddress, readFinalBlock, readTransactionCount, strictestRule } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { askNode } from './ask-node.ts';
import { payoutErrors } from './errors.ts';
import { selectUnknown } from './found/queries.ts';
import { lockSigner, type SignerRow, selectSigner, updateResumed } from './queries/signers.ts';
import { type OpenSlot, selectAllOpenSlots, selectFreeNonces } from './queries/slots.ts';
import { findTaken } from './read-past.ts';
import { isServerTrusted } from './server.ts';

export interface WalletToResume {
  network: string;
  address: string;
  /** The chain's count, named by the operator to accept all of the wallet's transactions below it. */
  nextNonce?: number;
}

/**
 * Resumes a halted wallet after an operator has found the cause. A nonce counter behind the chain is moved
 * only to exactly the chain's count, and only if the operator names it, which confirms that every transaction
 * below is accounted for.
 */
export async function resumeWallet(
  ctx: Ctx,
  { network, address, nextNonce }: WalletToResume,
): Promise<SignerRow> {
  const wallet = parseAddress(address);
  if (!wallet || !(await selectSigner(ctx.db, network, wallet))) throw payoutErrors.walletNotFound();
  const open = await selectAllOpenSlots(ctx.db, network, wallet);
  const used = await readUsed(ctx, network, wallet, open);
  return inTransaction(ctx, async (ctx) => {
    const signer = (await lockSigner(ctx.db, network, wallet))!;
    if (signer.haltedAt === null) throw payoutErrors.walletNotHalted();
    if (!isServerTrusted(ctx, signer)) throw payoutErrors.serverChanged();
    if (signer.fillBelow !== null) throw payoutErrors.noncesNotFilled();
    if ((await selectUnknown(ctx.db, { network, address: wallet })).length > 0)
      throw payoutErrors.paymentsUnknown();
    // The transaction that took the nonce may have paid a withdrawal that is pending here.
    const [free] = await selectFreeNonces(ctx.db, { network, address: wallet }, 1);
    if (used.isTaken || (free !== undefined && free < BigInt(used.final))) throw payoutErrors.nonceTaken();
    const next = nextNonce === undefined ? signer.nextNonce : BigInt(nextNonce);
    if (next < signer.nextNonce) throw payoutErrors.nonceBelowKnown();
    if (next < BigInt(used.pending) || (next > signer.nextNonce && next !== BigInt(used.pending)))
      throw payoutErrors.nonceNotOnChain();
    // A transaction dropped before it is final would leave a nonce gap.
    if (next > signer.nextNonce && used.final !== used.pending) throw payoutErrors.walletBusy();
    await updateResumed(ctx.db, { network, address: wallet, nextNonce: next });
    await recordChange(ctx, {
      action: 'wallets.resume',
      subject: `wallet:${network}:${wallet}`,
      before: { nextNonce: Number(signer.nextNonce), haltedReason: signer.haltedReason },
      after: { nextNonce: Number(next) },
    });
    return (await selectSigner(ctx.db, network, wallet))!;
  });
}

interface Used {
  pending: number;
  final: number;
  /** A nonce below the final count belongs to an open payout, and none of its transactions is on chain. */
  isTaken: boolean;
}

function readUsed(ctx: Ctx, name: string, address: string, open: readonly OpenSlot[]): Promise<Used> {
  return askNode(ctx, name, async ({ node, finality }) => {
    const provider = node.pick();
    const block = await readFinalBlock(provider, strictestRule(finality));
    const counts = await Promise.all(
      node.providers.map((each) => readTransactionCount(each, address, 'pending')),
    );
    const final = block ? await readTransactionCount(provider, address, block.number) : 0;
    const taken = await findTaken(provider, open, final);
    return { pending: Math.max(...counts), final, isTaken: taken.length > 0 };
  });
}
