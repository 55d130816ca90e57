import { type Fees, raiseFees, readFees, readTransactionCount } from '#adapters/evm';
import { inTransaction } from '#context';
import { checkLane } from './check-lane.ts';
import { type Lane, tolerateNodeOutage, type WorkerCtx } from './lane.ts';
import { insertAttempts, selectNewestAttempt } from './queries/attempts.ts';
import { lockSigner } from './queries/signers.ts';
import { type OpenSlot, selectOpenBounds, selectOpenSlots } from './queries/slots.ts';
import { isFillingNow, isOfDeployment } from './server.ts';
import { turnMax } from './timing.ts';

/**
 * Signs a stuck payout again with higher fees: the same transfer on the same nonce, so at most one of them is
 * ever mined. The first in line is raised when its time is over; those behind it only if they offer less than
 * current fees.
 */
export function bumpStuck(ctx: WorkerCtx, lane: Lane): Promise<number> {
  return tolerateNodeOutage(ctx, lane, async () => {
    const { network, signer } = lane;
    const bounds = await selectOpenBounds(ctx.db, network.name, signer.address);
    if (!bounds) return 0;
    const provider = network.node.pick();
    const used = await readTransactionCount(provider, signer.address, 'latest');
    if (bounds.highest < BigInt(used)) return 0;
    const range = {
      network: network.name,
      address: signer.address,
      from: used,
      below: Number(bounds.highest) + 1,
    };
    const waiting = await selectOpenSlots(ctx.db, { ...range, limit: turnMax });
    const old = waiting.filter(({ attempts }) => isOld(ctx, attempts[0]!.signedAt, network.bumpAfterMs));
    if (old.length === 0 || 'refused' in (await checkLane(ctx, lane, provider))) return 0;
    return raiseOld(ctx, lane, { used, old, isFilling: false });
  });
}

/**
 * While nonces are filled, the fillers wait behind payouts that were sent, so the fees of these are raised
 * although the wallet is halted. It is the same transfer on the same nonce as the bytes that are being sent.
 */
export async function raiseInTheWay(
  ctx: WorkerCtx,
  lane: Lane,
  { used, nonces }: { used: number; nonces: ReadonlySet<bigint> },
): Promise<number> {
  const { network, signer } = lane;
  const where = { network: network.name, address: signer.address };
  const range = { from: used, below: used + turnMax, limit: turnMax };
  const waiting = await selectOpenSlots(ctx.db, { ...where, ...range });
  const old = waiting.filter(
    ({ nonce, attempts }) => nonces.has(nonce) && isOld(ctx, attempts[0]!.signedAt, network.bumpAfterMs),
  );
  return old.length > 0 ? raiseOld(ctx, lane, { used, old, isFilling: true }) : 0;
}

interface Raising {
  /** The wallet's transaction count. */
  used: number;
  old: readonly OpenSlot[];
  /** Only while nonces are filled, or only while the wallet is not halted. */
  isFilling: boolean;
}

async function raiseOld(ctx: WorkerCtx, lane: Lane, { used, old, isFilling }: Raising): Promise<number> {
  const { network } = lane;
  const suggested = await readFees(network.node.providers, network);
  let bumped = 0;
  for (const slot of old) {
    const [newest] = slot.attempts;
    if (slot.nonce !== BigInt(used) && newest!.maxFeePerGas >= suggested.baseFeePerGas) continue;
    const fees = raiseFees(newest!, suggested, network.feeCap);
    // At the fee cap, wait; the same bytes are still sent.
    if (fees && (await replace(ctx, lane, slot, { fees, isFilling }))) bumped += 1;
  }
  return bumped;
}

const isOld = (ctx: WorkerCtx, signedAt: Date, bumpAfterMs: number) =>
  ctx.now.getTime() - signedAt.getTime() >= bumpAfterMs;

async function replace(
  ctx: WorkerCtx,
  lane: Lane,
  slot: OpenSlot,
  { fees, isFilling }: { fees: Fees; isFilling: boolean },
): Promise<boolean> {
  const { network, signer, atStep } = lane;
  const { nonce } = slot;
  const where = { network: network.name, address: signer.address };
  return inTransaction(ctx, async ({ db, now }) => {
    const row = await lockSigner(db, network.name, signer.address);
    const isMeant = isFilling ? isFillingNow(row) : row && !row.haltedAt;
    if (!isMeant || !isOfDeployment(ctx, row!)) return false;
    // Another worker settled or raised it since it was read.
    if ((await selectNewestAttempt(db, { ...where, nonce })) !== slot.attempts[0]!.hash) return false;
    const { hash, raw } = await signer.signTransfer({
      chainId: network.chainId,
      nonce: Number(nonce),
      gas: network.transferGas,
      token: slot.tokenAddress,
      to: slot.toAddress,
      amount: slot.amount,
      reference: slot.withdrawalId,
      keyMark: slot.keyMark,
      ...fees,
    });
    await atStep('sign', [{ hash, raw }]);
    // Filling sends it next, and a send is recorded before it is made.
    await insertAttempts(db, { ...where, now, isSent: isFilling }, [{ nonce, hash, raw, ...fees }]);
    ctx.log.info(
      { ...where, nonce: Number(nonce), hash },
      'a stuck payout was signed again with higher fees',
    );
    return true;
  });
}
