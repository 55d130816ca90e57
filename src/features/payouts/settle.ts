import { type FinalityRule, ruleFor } from '#adapters/evm';
import { type Agreement, reachedBy } from './agree.ts';
import { askAbout } from './ask-about.ts';
import { haltLane } from './check-lane.ts';
import { haltReasons } from './halt-reasons.ts';
import { type Lane, tolerateNodeOutage, type WorkerCtx } from './lane.ts';
import { noteStuck } from './note-stuck.ts';
import { updateSeen, updateUnseen } from './queries/settled.ts';
import {
  type Decided,
  type OpenSlot,
  selectOpenBounds,
  selectOpenSlots,
  updateMissing,
  updateReported,
} from './queries/slots.ts';
import { type FinalSlot, recordFinal } from './record-final.ts';
import { foreignAfterMs, lagMs, turnMax } from './timing.ts';
import { type NodeView, viewChain } from './view-chain.ts';

/**
 * processing → completed or failed, by what is final on chain. The wallet's transaction count at the final
 * block says which nonces are decided, and a receipt in a canonical block says how. Every node is asked, in
 * one batch for all nonces, and a quorum must agree; a lagging node only lowers its count. Returns how many
 * were settled or seen in a block.
 */
export function settleFinal(ctx: WorkerCtx, lane: Lane): Promise<number> {
  return tolerateNodeOutage(ctx, lane, async () => {
    const { network, signer } = lane;
    const bounds = await selectOpenBounds(ctx.db, network.name, signer.address);
    if (!bounds) {
      lane.unsettled.report(ctx.log, undefined);
      return 0;
    }
    const views = await viewChain({ network, address: signer.address });
    const latest = Math.max(...views.map((view) => view.latest));
    const isLagging = lagsBehind(lane, Math.max(...views.map(({ head }) => head)));
    if (!isLagging) await noteUnseen(ctx, lane, latest);
    const from = Math.max(Number(bounds.lowest), lane.settleFrom);
    const agreements = await askAboutMined(ctx, lane, views, { from, below: latest });
    const final = agreements.flatMap(({ slot, final }) => (final ? [{ slot, receipt: final }] : []));
    const { settled, left, deviating } = await recordFinal(ctx, lane, final);
    // Payouts that cannot be settled would fill the next batch again and hide those behind them.
    const isFull = agreements.length === turnMax;
    lane.settleFrom =
      left > 0 && isFull ? Math.max(...agreements.map(({ slot }) => Number(slot.nonce))) + 1 : 0;
    const others = agreements.filter((one) => !one.final);
    const seen = isLagging ? 0 : await noteSeen(ctx, others);
    await noteMissing(ctx, lane, views, others);
    await noteDeviating(ctx, lane, deviating);
    await noteStuck(ctx, lane, { views, lowest: bounds.lowest, agreements });
    return settled + seen;
  });
}

async function askAboutMined(
  ctx: WorkerCtx,
  lane: Lane,
  views: readonly NodeView[],
  { from, below }: { from: number; below: number },
): Promise<Agreement<OpenSlot>[]> {
  const { network, signer } = lane;
  if (below <= from) return [];
  const range = { network: network.name, address: signer.address, from, below, limit: turnMax };
  const slots = await selectOpenSlots(ctx.db, { ...range, decided: decidedBy(lane, views) });
  const agreements = await askAbout({ network, address: signer.address }, slots, views);
  await lane.atStep('receipt');
  return agreements;
}

/**
 * A node that lags behind another has not lost the transaction. Assume this only for a while, because a
 * reported height may be wrong.
 */
function lagsBehind(lane: Lane, head: number): boolean {
  const now = performance.now();
  if (head < lane.head.number && now - lane.head.seenAt < lagMs) return true;
  lane.head = { number: head, seenAt: now };
  return false;
}

/** The wallet's count at the final block by a rule, as far as a quorum of nodes has come. */
function decidedCount({ network: { node } }: Lane, views: readonly NodeView[], rule: FinalityRule): number {
  return reachedBy(
    node.quorum,
    views.map(({ finals }) => finals.get(rule)!.count),
  );
}

function decidedBy(lane: Lane, views: readonly NodeView[]): Decided {
  const { rule, above } = lane.network.finality;
  return {
    usual: decidedCount(lane, views, rule),
    ...(above && { large: { amount: above.amount, count: decidedCount(lane, views, above.rule) } }),
  };
}

/** Records which payouts are in a block, and undoes it when the block is gone. */
async function noteSeen(ctx: WorkerCtx, agreements: readonly Agreement<OpenSlot>[]): Promise<number> {
  const news = agreements
    .filter(({ seen, answers }) => seen || answers.every(({ isComplete }) => isComplete))
    .map(({ slot, seen }) => ({
      slot,
      withdrawalId: slot.withdrawalId,
      minedHash: seen?.transactionHash ?? null,
    }))
    .filter(({ slot, minedHash }) => minedHash !== slot.transactionHash);
  return news.length > 0 ? updateSeen(ctx.db, news, ctx.now) : 0;
}

/** A payout whose block is gone waits and is sent again. */
async function noteUnseen(ctx: WorkerCtx, { network, signer }: Lane, latest: number): Promise<void> {
  await updateUnseen(ctx.db, { network: network.name, address: signer.address, from: latest }, ctx.now);
}

/** A decided nonce without any of our transactions was used by another holder of our key. */
async function noteMissing(
  ctx: WorkerCtx,
  lane: Lane,
  views: readonly NodeView[],
  agreements: readonly Agreement<OpenSlot>[],
): Promise<void> {
  const where = { network: lane.network.name, address: lane.signer.address };
  const found = agreements.filter(
    ({ answers, slot }) => slot.missingSince !== null && answers.some(({ receipt }) => receipt),
  );
  if (found.length > 0) await updateMissing(ctx.db, where, noncesOf(found.map(({ slot }) => slot)), null);
  const isDecided = ({ nonce, amount, decimals }: OpenSlot) =>
    nonce < BigInt(decidedCount(lane, views, ruleFor(lane.network.finality, amount, decimals)));
  const gone = agreements.filter(({ isGone, slot }) => isGone && isDecided(slot)).map(({ slot }) => slot);
  await noteStrange(ctx, lane, gone, ({ nonce }) => haltReasons.taken(nonce), { isInDoubt: true });
}

/** Such as a fee-taking token: the chain shows several transfers, or another one. */
async function noteDeviating(ctx: WorkerCtx, lane: Lane, deviating: readonly FinalSlot[]): Promise<void> {
  const hashes = new Map(deviating.map(({ slot, receipt }) => [slot, receipt.transactionHash]));
  await noteStrange(ctx, lane, [...hashes.keys()], (slot) => haltReasons.movedOther(slot, hashes.get(slot)!));
}

const noncesOf = (slots: readonly OpenSlot[]) => slots.map(({ nonce }) => nonce);

/**
 * One check is no proof: the lane halts only if every check of a minute shows the same, and once. The hold
 * and the status `processing` stay: an operator decides.
 */
async function noteStrange(
  ctx: WorkerCtx,
  lane: Lane,
  slots: readonly OpenSlot[],
  describe: (slot: OpenSlot) => string,
  { isInDoubt = false } = {},
): Promise<void> {
  const where = { network: lane.network.name, address: lane.signer.address };
  const unnoted = slots.filter(({ missingSince }) => missingSince === null);
  if (unnoted.length > 0) await updateMissing(ctx.db, where, noncesOf(unnoted), ctx.now);
  const since = ctx.now.getTime() - foreignAfterMs;
  const lasting = slots.find(
    ({ missingSince, isReported }) => missingSince !== null && missingSince.getTime() <= since && !isReported,
  );
  if (!lasting) return;
  if (await haltLane(ctx, lane, describe(lasting), { isInDoubt, slot: lasting }))
    await updateReported(ctx.db, where, lasting.nonce, ctx.now);
}
