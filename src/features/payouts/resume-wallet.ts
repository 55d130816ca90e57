import { type EvmNetwork, parseAddress, readTransactionCount } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { reachedBy } from './agree.ts';
import { askNode } from './ask-node.ts';
import { payoutErrors } from './errors.ts';
import { readFinalHeight } from './final-height.ts';
import { selectUnknown } from './found/queries.ts';
import { selectLastMined } from './queries/settled.ts';
import { lockSigner, type SignerRow, selectSigner, updateResumed } from './queries/signers.ts';
import { type OpenSlot, selectAllOpenSlots, selectFreeNonces } from './queries/slots.ts';
import { findTaken, readMarked } from './read-past.ts';
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
 * below is accounted for. It is refused if one of them is a payment of ours: a restored database would make
 * it again.
 */
export async function resumeWallet(
  ctx: Ctx,
  { network, address, nextNonce }: WalletToResume,
): Promise<SignerRow> {
  const wallet = parseAddress(address);
  const known = wallet && (await selectSigner(ctx.db, network, wallet));
  if (!known) throw payoutErrors.walletNotFound();
  requireOlderHalt(ctx, known);
  const where = { network, address: wallet };
  const open = await selectAllOpenSlots(ctx.db, network, wallet);
  const since = await selectLastMined(ctx.db, where);
  const from = Number(known.nextNonce);
  const used = await askNode(ctx, network, (evm) => readUsed(evm, { wallet, open, from, since }));
  return inTransaction(ctx, async (ctx) => {
    const signer = (await lockSigner(ctx.db, network, wallet))!;
    if (signer.haltedAt === null) throw payoutErrors.walletNotHalted();
    requireOlderHalt(ctx, signer);
    if (!isServerTrusted(ctx, signer)) throw payoutErrors.serverChanged();
    if (signer.fillBelow !== null) throw payoutErrors.noncesNotFilled();
    if ((await selectUnknown(ctx.db, where)).length > 0) throw payoutErrors.paymentsUnknown();
    // The transaction that took the nonce may have paid a withdrawal that is pending here.
    const [free] = await selectFreeNonces(ctx.db, where, 1);
    if (used.isTaken || (free !== undefined && free < BigInt(used.final))) throw payoutErrors.nonceTaken();
    const next = nextNonce === undefined ? signer.nextNonce : BigInt(nextNonce);
    if (next < signer.nextNonce) throw payoutErrors.nonceBelowKnown();
    if (next < BigInt(used.pending) || (next > signer.nextNonce && next !== BigInt(used.pending)))
      throw payoutErrors.nonceNotOnChain();
    // A transaction dropped before it is final would leave a nonce gap.
    if (next > signer.nextNonce && used.final !== used.pending) throw payoutErrors.walletBusy();
    if (next > signer.nextNonce) requireNotLost(used);
    await updateResumed(ctx.db, { ...where, nextNonce: next });
    await recordChange(ctx, {
      action: 'wallets.resume',
      subject: `wallet:${network}:${wallet}`,
      before: { nextNonce: Number(signer.nextNonce), haltedReason: signer.haltedReason },
      after: { nextNonce: Number(next) },
    });
    return (await selectSigner(ctx.db, network, wallet))!;
  });
}

/** A request that waited for a second operator ends only the halt that it was about. */
function requireOlderHalt({ askedAt }: Ctx, { haltedAt }: SignerRow): void {
  if (askedAt && haltedAt && haltedAt > askedAt) throw payoutErrors.haltIsNewer();
}

interface Used {
  pending: number;
  final: number;
  /** A nonce below the final count belongs to an open payout, and none of its transactions is on chain. */
  isTaken: boolean;
  /** Nonces of payments of ours that this database has not assigned. Undefined: they were not read. */
  lost: number[] | undefined;
}

interface Reading {
  wallet: string;
  open: readonly OpenSlot[];
  /** The first nonce that this database has not assigned. */
  from: number;
  /** Hash of the last settled payout. */
  since: string | undefined;
}

/** All nodes are asked, because one could make a payment look final, gone or foreign. */
async function readUsed(network: EvmNetwork, { wallet, open, from, since }: Reading): Promise<Used> {
  const { node } = network;
  const reached = await readFinalHeight(network);
  const counts = await Promise.all(
    node.providers.map((each) => readTransactionCount(each, wallet, 'pending')),
  );
  const pending = Math.max(...counts);
  if (!reached) return { pending, final: 0, isTaken: false, lost: undefined };
  const { height, providers } = reached;
  const finals = await Promise.all(providers.map((each) => readTransactionCount(each, wallet, height)));
  const final = reachedBy(node.quorum, finals);
  const taken = await Promise.all(providers.map((each) => findTaken(each, open, final)));
  const isTaken = taken.some(({ length }) => length > 0);
  const isAhead = final > from && since !== undefined;
  const marked = isAhead ? await readMarked(network, { wallet, since, toBlock: height }) : undefined;
  const lost = marked?.map(({ nonce }) => nonce).filter((nonce) => nonce >= from);
  return { pending, final, isTaken, lost };
}

function requireNotLost({ lost }: Used): void {
  if (!lost) throw payoutErrors.paymentsUnread();
  if (lost.length === 0) return;
  const nonces = [...new Set(lost)].sort((one, other) => one - other);
  const named = `${nonces.slice(0, 10).join(', ')}${nonces.length > 10 ? ', …' : ''}`;
  throw payoutErrors.paymentsLost({
    message: `The wallet made payments on chain that this database does not know, with the nonces ${named}: run wallets recover first`,
  });
}
