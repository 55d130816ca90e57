import { type Agreement, describeWords } from './agree.ts';
import { haltLane } from './check-lane.ts';
import type { Lane, WorkerCtx } from './lane.ts';
import { selectSigner } from './queries/signers.ts';
import { type OpenSlot, selectOpenSlots, updateReported } from './queries/slots.ts';
import { foreignAfterMs, stuckAfterMs } from './timing.ts';
import type { NodeView } from './view-chain.ts';

interface Stand {
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
export async function noteStuck(ctx: WorkerCtx, lane: Lane, stand: Stand): Promise<void> {
  const { network, signer } = lane;
  const where = { network: network.name, address: signer.address };
  const known = stand.agreements.find(({ slot }) => slot.nonce === stand.lowest);
  const slot = known ? known.slot : await selectLowest(ctx, where, stand.lowest);
  const ageMs = slot ? ctx.now.getTime() - slot.attempts.at(-1)!.signedAt.getTime() : 0;
  const trouble = slot && !known?.final && ageMs >= foreignAfterMs && findTrouble(lane, stand, slot, known);
  if (!trouble) return lane.unsettled.report(ctx.log, undefined);
  lane.unsettled.report(ctx.log, trouble.what);
  if (!trouble.needsPerson || ageMs < stuckAfterMs || slot.isReported) return;
  const row = await selectSigner(ctx.db, network.name, signer.address);
  if (row?.haltedAt) return;
  const minutes = Math.floor(ageMs / 60_000);
  await haltLane(
    ctx,
    lane,
    `${trouble.what}. It was signed ${minutes} minutes ago. ${trouble.todo}, then run wallets resume`,
  );
  await updateReported(ctx.db, where, slot.nonce, ctx.now);
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

function findTrouble(
  { network, isKeyless }: Lane,
  { views }: Stand,
  slot: OpenSlot,
  known: Agreement<OpenSlot> | undefined,
): Trouble | undefined {
  const { quorum, providers } = network.node;
  const name = `nonce ${slot.nonce} (withdrawal ${slot.withdrawalId})`;
  if (views.length < quorum) {
    const what = `${views.length} of ${providers.length} nodes of ${network.name} answer, and ${quorum} must agree before a payout is settled`;
    return { what, needsPerson: false, todo: '' };
  }
  if (known && isContradicted(known)) {
    const what = `the nodes of ${network.name} do not agree about ${name}: ${describeWords(known.words)}`;
    return { what, needsPerson: true, todo: 'Take the node that is wrong out of the settings' };
  }
  const isInBlock = views.some(({ latest }) => BigInt(latest) > slot.nonce);
  const isEnough = views.every(({ baseFeePerGas }) => slot.attempts[0]!.maxFeePerGas >= baseFeePerGas);
  if (!isInBlock && !isEnough && isKeyless) {
    const what = `the fees of ${name} are too low, and cannot be raised because the key of the hot wallet is not in HOT_WALLET_KEYS`;
    return { what, needsPerson: false, todo: '' };
  }
  if (isInBlock || !isEnough) return undefined;
  const what = `no block has ${name}, though it offers enough and is sent again and again`;
  return { what, needsPerson: true, todo: 'See whether the nodes pass transactions on' };
}

/** One node has it in a block that another has passed without it, or has it with another outcome. */
function isContradicted({ words }: Agreement): boolean {
  const shown = words.flatMap(({ receipt }) => receipt ?? []);
  const isDenied = words.some(
    ({ view, receipt, isComplete }) =>
      !receipt && isComplete && shown.some(({ blockNumber }) => blockNumber <= view.head),
  );
  return isDenied || new Set(shown.map((receipt) => JSON.stringify(receipt))).size > 1;
}
