import { median } from '#adapters/evm';
import { type Agreement, describeAnswers, isContradicted, reachedBy } from './agree.ts';
import { haltLane } from './check-lane.ts';
import { haltReasons, stuckTroubles } from './halt-reasons.ts';
import type { Lane, WorkerCtx } from './lane.ts';
import { selectSigner } from './queries/signers.ts';
import { type OpenSlot, selectOpenSlots, updateReported } from './queries/slots.ts';
import { isUnreplicated } from './server.ts';
import { foreignAfterMs, leadBlocks, stuckAfterMs } from './timing.ts';
import type { NodeView } from './view-chain.ts';

interface Progress {
  views: readonly NodeView[];
  /** The first nonce that is not settled; all later ones wait for it. */
  lowest: bigint;
  agreements: readonly Agreement<OpenSlot>[];
}

/**
 * Logs why the first payout in line is not settled, with its age. Halts the lane if only a person can help:
 * the nodes contradict each other, or no block includes a transaction that offers enough. Too few nodes, fees
 * above the cap and slow finality end without a person, and a halt would stop the sending that ends them.
 * Each payout halts its lane once.
 */
export async function noteStuck(ctx: WorkerCtx, lane: Lane, progress: Progress): Promise<void> {
  const { network, signer } = lane;
  const where = { network: network.name, address: signer.address };
  const known = progress.agreements.find(({ slot }) => slot.nonce === progress.lowest);
  const slot = known ? known.slot : await selectLowest(ctx, where, progress.lowest);
  const ageMs = slot ? ctx.now.getTime() - sendableSince(lane, slot).getTime() : 0;
  const trouble =
    slot &&
    !known?.final &&
    ageMs >= foreignAfterMs &&
    findTrouble(ctx, lane, progress, firstOf(slot, known));
  if (!trouble) return lane.unsettled.report(ctx.log, undefined);
  lane.unsettled.report(ctx.log, trouble.what);
  if (!trouble.needsPerson || ageMs < stuckAfterMs || slot.isReported) return;
  const row = await selectSigner(ctx.db, network.name, signer.address);
  if (!row || row.haltedAt) return;
  if (isUnreplicated(ctx, row)) {
    lane.unreplicatedAt = ctx.now;
    return;
  }
  const minutes = Math.floor(ageMs / 60_000);
  if (await haltLane(ctx, lane, haltReasons.stuck({ ...trouble, minutes }), { slot }))
    await updateReported(ctx.db, where, slot.nonce, ctx.now);
}

/** Without standbys nothing is sent, and a payout has its time again when they are set. */
function sendableSince({ unreplicatedAt }: Lane, { attempts }: OpenSlot): Date {
  const { signedAt } = attempts.at(-1)!;
  return unreplicatedAt && unreplicatedAt > signedAt ? unreplicatedAt : signedAt;
}

async function selectLowest(
  { db }: WorkerCtx,
  where: { network: string; address: string },
  lowest: bigint,
): Promise<OpenSlot | undefined> {
  const from = Number(lowest);
  return (await selectOpenSlots(db, { ...where, from, below: from + 1, limit: 1 }))[0];
}

interface Trouble {
  what: string;
  needsPerson: boolean;
  todo: string;
}

/** The first payout in line. */
interface First {
  slot: OpenSlot;
  name: string;
  known: Agreement<OpenSlot> | undefined;
}

const firstOf = (slot: OpenSlot, known: First['known']): First => ({
  slot,
  name: `nonce ${slot.nonce} (withdrawal ${slot.withdrawalId})`,
  known,
});

function findTrouble(ctx: WorkerCtx, lane: Lane, progress: Progress, first: First): Trouble | undefined {
  const { network } = lane;
  const { views } = progress;
  const { slot, name, known } = first;
  const { quorum, providers } = network.node;
  if (views.length < quorum)
    return endsAlone(
      `${views.length} of ${providers.length} nodes of ${network.name} answer, and ${quorum} must agree before a payout is settled`,
    );
  if (known && isContradicted(known)) {
    const what = stuckTroubles.contradicted(network.name, name, describeAnswers(known.answers));
    const todo = 'Take the node that is wrong out of the settings, then run wallets resume';
    return { what, needsPerson: true, todo };
  }
  const counting = views.filter(({ latest }) => BigInt(latest) > slot.nonce);
  if (counting.length >= quorum) return noteAlone(lane, undefined);
  if (counting.length > 0 && !isAloneForLong(ctx, lane, slot)) return undefined;
  if (counting.length === 0) noteAlone(lane, undefined);
  const alone = counting.map((view) => view.name).join(' and ');
  const height = reachedBy(
    quorum,
    views.map(({ head }) => head),
  );
  const front = Math.max(...counting.map(({ head }) => head));
  if (front > height + leadBlocks)
    return endsAlone(
      `only ${alone} of ${network.name} has a transaction with ${name}: it shows block ${front}, and the other nodes are at block ${height}`,
    );
  // The highest, because a node that is behind does not count nonces that were used long ago.
  const used = Math.max(...views.map(({ latest }) => latest));
  if (BigInt(used) < slot.nonce) return describeGap(name, used);
  const said = alone && `, and only ${alone} counts it as mined`;
  return findTroubleInMempool(lane, progress, first, said);
}

/** Halting would stop the sending that ends it. */
const endsAlone = (what: string): Trouble => ({ what, needsPerson: false, todo: '' });

function noteAlone(lane: Lane, alone: Lane['countedAlone']): undefined {
  lane.countedAlone = alone;
}

/** The other nodes usually have what one has in a moment. */
function isAloneForLong({ now }: WorkerCtx, lane: Lane, { nonce }: OpenSlot): boolean {
  if (lane.countedAlone?.nonce !== nonce) noteAlone(lane, { nonce, since: now });
  return now.getTime() - lane.countedAlone!.since.getTime() >= foreignAfterMs;
}

/** Left by `wallets.void`; any signature takes the lowest free nonce. */
const describeGap = (name: string, gap: number): Trouble => ({
  what: stuckTroubles.gap(name, gap),
  needsPerson: true,
  todo: `Run wallets resume, and the next payout that is signed takes nonce ${gap}. If no other payout comes, run wallets recover with --fill-nonces 1, which halts every wallet of the network until it is recovered`,
});

/** A payout that no block has, as far as a quorum says. */
function findTroubleInMempool(
  { isKeyless }: Lane,
  { views }: Progress,
  { slot, name }: First,
  alone: string,
): Trouble | undefined {
  // The median, as for fees: one node must not decide what is enough.
  const baseFee = median(views.map(({ baseFeePerGas }) => baseFeePerGas))!;
  const isEnough = slot.attempts[0]!.maxFeePerGas >= baseFee;
  if (!isEnough && isKeyless)
    return endsAlone(
      `the fees of ${name} are too low, and cannot be raised because the key of the hot wallet is not in HOT_WALLET_KEYS`,
    );
  if (!isEnough) return undefined;
  const what = stuckTroubles.unmined(name, alone);
  const todo = 'See whether the nodes pass transactions on, then run wallets resume';
  return { what, needsPerson: true, todo };
}
