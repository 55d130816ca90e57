import { type Agreement, reachedBy } from './agree.ts';
import { askAbout } from './ask-about.ts';
import { haltLane } from './check-lane.ts';
import { haltReasons } from './halt-reasons.ts';
import { type Lane, tolerateNodeOutage, type WorkerCtx } from './lane.ts';
import { type SettledPayout, selectLatestSettled } from './queries/settled.ts';
import { selectSigner, selectWasResumed, updateGone } from './queries/signers.ts';
import { outcomeOf } from './record-final.ts';
import { foreignAfterMs, recheckForMs, turnMax } from './timing.ts';
import { viewChain } from './view-chain.ts';

/**
 * Checks the last settled payouts again. A reorganisation below what counts as final can undo a payment and
 * leave a nonce gap that blocks all later transactions. This is never fixed silently: the lane halts and says
 * what to do. The withdrawal keeps its outcome, because only its bytes can ever use that nonce. Returns how
 * many are gone.
 */
export function recheckFinal(ctx: WorkerCtx, lane: Lane): Promise<number> {
  return tolerateNodeOutage(ctx, lane, async () => {
    const { network, signer } = lane;
    const where = { network: network.name, address: signer.address };
    const since = ctx.now.getTime() - recheckForMs;
    const settled = await selectLatestSettled(ctx.db, { ...where, limit: turnMax });
    if (settled.length === 0) return 0;
    const views = await viewChain({ network, address: signer.address });
    const used = reachedBy(
      network.node.quorum,
      views.map(({ latest }) => latest),
    );
    // The transaction count shows every gap, however old; other outcomes are looked for among the newest
    // only.
    const looked = settled.filter(
      ({ settledAt, nonce }) => nonce >= BigInt(used) || settledAt.getTime() >= since,
    );
    const agreements = await askAbout({ network, address: signer.address }, looked, views);
    const gone = agreements.filter(({ isGone }) => isGone).map(({ slot }) => slot);
    const goneSince = await updateGone(ctx.db, { ...where, isGone: gone.length > 0, now: ctx.now });
    // One check is no proof: the lane halts only if every check of a minute shows the same.
    if (goneSince && ctx.now.getTime() - goneSince.getTime() >= foreignAfterMs)
      await haltForGone(ctx, lane, gone, used);
    const changed = agreements.find((one) => hasChanged(signer.address, one));
    if (changed) await haltOnce(ctx, lane, haltReasons.changed(changed.slot));
    return gone.length;
  });
}

async function haltForGone(
  ctx: WorkerCtx,
  lane: Lane,
  gone: readonly SettledPayout[],
  used: number,
): Promise<void> {
  // A nonce that another transaction has used since can never pay, so resending would not help.
  const taken = gone.find(({ nonce }) => nonce < BigInt(used));
  const [first] = gone.filter(({ nonce }) => nonce >= BigInt(used));
  if (taken) await haltOnce(ctx, lane, haltReasons.takenAgain(taken));
  if (!first) return;
  const { network, signer } = lane;
  if ((await selectSigner(ctx.db, network.name, signer.address))?.haltedAt) return;
  const wallet = { network: network.name, address: signer.address };
  await haltLane(ctx, lane, haltReasons.gone(wallet, gone.length, first, used));
}

/**
 * An outcome accepted by an operator that we cannot judge stays accepted while the transaction is the same.
 */
function hasChanged(address: string, { slot, final }: Agreement<SettledPayout>): boolean {
  if (!final) return false;
  const outcome = outcomeOf(address, slot, final);
  return outcome ? outcome.status !== slot.status : final.transactionHash !== slot.minedHash;
}

/** An operator who resumed the wallet after this very reason has dealt with it. */
async function haltOnce(ctx: WorkerCtx, lane: Lane, reason: string): Promise<void> {
  const where = { network: lane.network.name, address: lane.signer.address };
  if (await selectWasResumed(ctx.db, { ...where, reason })) return;
  if ((await selectSigner(ctx.db, where.network, where.address))?.haltedAt) return;
  await haltLane(ctx, lane, reason);
}
