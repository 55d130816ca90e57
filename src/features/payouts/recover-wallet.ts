import { parseAddress, readTransactionCount } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { askNode } from './ask-node.ts';
import { payoutErrors } from './errors.ts';
import { updateFilling, updateFreeUsed } from './fill/queries.ts';
import { bindFound } from './found/bind-found.ts';
import { giveUpTaken } from './found/give-up-taken.ts';
import {
  insertFound,
  selectUnknown,
  type UnknownPayment,
  updateAccepted,
  updateMatchedByKey,
  updateSignedAgain,
} from './found/queries.ts';
import { haltReasons } from './halt-reasons.ts';
import {
  lockSigners,
  type SignerRow,
  selectSigner,
  selectWasRecovered,
  updateHalted,
  updateResumed,
} from './queries/signers.ts';
import { selectAllOpenSlots, selectFreeNonces } from './queries/slots.ts';
import { type Past, readPast } from './read-past.ts';
import { isServerTrusted, surelyUnsent } from './server.ts';
import { lateMs, unminedMax } from './timing.ts';

export interface WalletToRecover {
  network: string;
  address: string;
  /** At or before the time of the backup. */
  fromBlock: number;
  /**
   * Nonces that the operator has seen to pay nobody, such as those of reverted transactions, which leave no
   * transfer to find.
   */
  unpaidNonces?: number[];
  /** Hashes of unknown payments that the operator has accounted for. */
  accept?: string[];
  /**
   * How many nonces to fill first, so that no lost transaction is mined later. Default if the database server
   * changed: as many as can be open at once.
   */
  fillNonces?: number;
}

export interface RecoveredWallet {
  nextNonce: number;
  /** Withdrawals whose lost payment was found on chain; they continue from there. */
  recovered: string[];
  /** Withdrawals whose nonce another transaction has used; they get a new one. */
  requeued: string[];
  /** Payments for withdrawals that this database does not have, or that it cannot explain. */
  unknown: UnknownPayment[];
  /** The wallet stays halted while payments are unknown or nonces are being filled. */
  isHalted: boolean;
  /** Nonces below it are being filled: run again when the wallet's transaction count reaches it. */
  fillBelow: number | null;
}

/**
 * After a restore or failover: finds what the wallet has paid on chain, by the mark in each transfer, and
 * stores what was lost. A payment that used another withdrawal's slot takes that slot, and the other
 * withdrawal gets a new nonce. The wallet resumes once every payment belongs to a withdrawal here or is
 * accepted by the operator.
 */
export async function recoverWallet(
  ctx: Ctx,
  { network, address, fromBlock, unpaidNonces = [], accept = [], fillNonces }: WalletToRecover,
): Promise<RecoveredWallet> {
  const wallet = parseAddress(address);
  const known = wallet && (await selectSigner(ctx.db, network, wallet));
  if (!known) throw payoutErrors.walletNotFound();
  // Without a server, the wallet was registered by an older release, and its first signatures may be lost.
  const isSameServer = known.server !== null && isServerTrusted(ctx, known);
  const isCertain = isSameServer || known.fillServer === known.serverNow;
  const wanted = fillNonces ?? (isCertain ? 0 : unminedMax);
  if (wanted > 0) return beginFilling(ctx, { network, address: wallet }, wanted);
  const open = await selectAllOpenSlots(ctx.db, network, wallet);
  const past = await askNode(ctx, network, (evm) => readPast(evm, { wallet, fromBlock, open }));
  return inTransaction(ctx, async (ctx) => {
    const { db, now } = ctx;
    const signers = await lockSigners(db, network);
    const signer = signers.find((one) => one.address === wallet)!;
    requireQuiet(ctx, signer);
    // With 0, the operator ends a filling that cannot continue, such as for a wallet whose key is gone.
    if (fillNonces !== 0 && signer.fillBelow !== null && BigInt(past.used) < signer.fillBelow)
      throw payoutErrors.noncesNotFilled();
    const where = { network, address: wallet, now };
    const free = (await selectFreeNonces(db, where)).map(Number).filter((nonce) => nonce < past.used);
    const unaccounted = new Set([...free, ...range(Number(signer.nextNonce), past.used)]);
    const lost = past.transfers.filter(({ nonce }) => unaccounted.has(nonce));
    requireAll(past, unaccounted, unpaidNonces);
    await insertFound(db, where, lost);
    const requeued = await giveUpTaken(ctx, where, past);
    await updateFreeUsed(db, where, [
      ...past.filled,
      ...lost.map(({ nonce, hash }) => [BigInt(nonce), hash] as const),
      ...unpaidNonces
        .filter((nonce) => unaccounted.has(nonce))
        .map((nonce) => [BigInt(nonce), 'unpaid, as an operator said'] as const),
    ]);
    await updateMatchedByKey(db, network);
    await updateSignedAgain(db, { ...where, addresses: surelyUnsent(ctx, signers, wallet) });
    const recovered = await bindFound(ctx, network);
    const accepted = accept.map((hash) => hash.toLowerCase());
    if ((await updateAccepted(db, where, accepted)).length < new Set(accepted).size)
      throw payoutErrors.paymentNotFound();
    const unknown = await selectUnknown(db, where);
    const next = BigInt(past.used) > signer.nextNonce ? BigInt(past.used) : signer.nextNonce;
    const haltedReason = unknown.length > 0 ? haltReasons.unknownPayments(unknown.length) : undefined;
    await updateResumed(db, { ...where, nextNonce: next, ...(haltedReason && { haltedReason }) });
    await recordChange(ctx, {
      action: 'wallets.recover',
      subject: `wallet:${network}:${wallet}`,
      before: { nextNonce: Number(signer.nextNonce), haltedReason: signer.haltedReason },
      after: { nextNonce: Number(next), recovered, requeued, accepted, unknown: unknown.length },
    });
    const isHalted = unknown.length > 0;
    return { nextNonce: Number(next), recovered, requeued, unknown, isHalted, fillBelow: null };
  });
}

/**
 * Without the minute's wait: a lost transaction that arrives meanwhile uses up its nonce and is found
 * afterwards.
 */
async function beginFilling(
  ctx: Ctx,
  where: { network: string; address: string },
  count: number,
): Promise<RecoveredWallet> {
  const sent = await askNode(ctx, where.network, ({ node }) =>
    Promise.all(node.providers.map((each) => readTransactionCount(each, where.address, 'pending'))),
  );
  return inTransaction(ctx, async (ctx) => {
    const signers = await lockSigners(ctx.db, where.network);
    const signer = signers.find(({ address }) => address === where.address)!;
    if (signer.haltedAt === null) throw payoutErrors.walletNotHalted();
    const fillBelow = Math.max(Number(signer.nextNonce), ...sent) + count;
    await updateFilling(ctx.db, {
      ...where,
      fillBelow: BigInt(fillBelow),
      reason: haltReasons.filling(fillBelow),
    });
    await doubtOthers(ctx, signers, signer);
    await recordChange(ctx, {
      action: 'wallets.recover',
      subject: `wallet:${where.network}:${where.address}`,
      before: { nextNonce: Number(signer.nextNonce), haltedReason: signer.haltedReason },
      after: { fillBelow },
    });
    const nothing = { recovered: [], requeued: [], unknown: [] };
    return { nextNonce: Number(signer.nextNonce), ...nothing, isHalted: true, fillBelow };
  });
}

/**
 * What was lost of one wallet may be lost of all: each is halted and in doubt, except those that were
 * recovered since this one was halted.
 */
async function doubtOthers(ctx: Ctx, signers: readonly SignerRow[], lost: SignerRow): Promise<void> {
  const { db, now } = ctx;
  const reason = haltReasons.lostElsewhere(lost.address);
  for (const { network, address, haltedAt } of signers) {
    const isKnown =
      haltedAt === null && (await selectWasRecovered(db, { network, address, since: lost.haltedAt! }));
    if (!isKnown) await updateHalted(db, { network, address, reason, now, isInDoubt: true });
  }
}

/** Transactions signed on a server that is gone may still reach a node for a while. */
function requireQuiet(ctx: Ctx, signer: SignerRow): void {
  if (signer.haltedAt === null) throw payoutErrors.walletNotHalted();
  const leftMs = signer.haltedAt.getTime() + lateMs - ctx.now.getTime();
  if (!isServerTrusted(ctx, signer) && leftMs > 0)
    throw payoutErrors.tooEarly({ headers: { 'retry-after': String(Math.ceil(leftMs / 1_000)) } });
}

/**
 * A payment that is not found would be made again. `unaccounted`: used on chain, and never sent by this
 * database.
 */
function requireAll(
  { transfers, taken, filled }: Past,
  unaccounted: ReadonlySet<number>,
  unpaidNonces: readonly number[],
): void {
  const seen = new Set([...transfers.map(({ nonce }) => nonce), ...[...filled.keys()].map(Number)]);
  const unpaid = new Set(unpaidNonces);
  const unseen = [...unaccounted].filter((nonce) => !seen.has(nonce) && !unpaid.has(nonce));
  const unexplained = taken.map(({ nonce }) => Number(nonce)).filter((nonce) => !seen.has(nonce));
  const missing = [...unexplained, ...unseen];
  if (missing.length === 0) return;
  const named = `${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''}`;
  const advice =
    unexplained.length > 0
      ? 'or end the payouts of these nonces with wallets accept-foreign'
      : 'or name those that paid nobody';
  throw payoutErrors.noncesNotFound({
    message: `No payment was found for the nonces ${named}: begin at an earlier block, ${advice}`,
  });
}

const range = (from: number, below: number) =>
  Array.from({ length: Math.max(below - from, 0) }, (_, at) => from + at);
