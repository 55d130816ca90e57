import {
  type FinalityRule,
  gatherCalls,
  type Receipt,
  readBlock,
  readReceipts,
  readTransactionCount,
  ruleFor,
} from '../evm/index.ts';
import { bookFinal } from './book.ts';
import { haltLane } from './check-lane.ts';
import { type Lane, throughWeather, type WorkerCtx } from './lane.ts';
import { type FinalBlock, type Look, look, readFinalBlocks } from './look.ts';
import {
  type Decided,
  type OpenSlot,
  selectOpenBounds,
  selectOpenSlots,
  updateMissing,
  updateReported,
  updateSeen,
  updateUnseen,
} from './queries.ts';
import { foreignAfterMs, lagMs, turnMax } from './timing.ts';

/**
 * processing → completed or failed, by what is final on chain: the wallet's transaction count at the final block says which
 * nonces are decided, and a receipt in a canonical block says how. All is asked of one node; one that lags only makes the
 * count smaller. Returns how many were settled or seen in a block.
 */
export function settleFinal(ctx: WorkerCtx, lane: Lane): Promise<number> {
  return throughWeather(ctx, lane, async () => {
    const { network, signer } = lane;
    const bounds = await selectOpenBounds(ctx.db, network.name, signer.address);
    if (!bounds) return 0;
    const provider = network.node.pick();
    const together = gatherCalls(provider);
    const [block, latest] = await Promise.all([
      readBlock(together, 'latest'),
      readTransactionCount(together, signer.address, 'latest'),
    ]);
    const head = block?.number ?? 0;
    const isLagging = lagsBehind(lane, head);
    if (BigInt(latest) <= bounds.lowest) {
      if (!isLagging) await noteUnseen(ctx, lane, latest);
      return 0;
    }
    const finals = await readFinalBlocks(lane, provider, { head, latest });
    const range = { network: network.name, address: signer.address, from: Number(bounds.lowest) };
    const decided = decidedBy(lane, finals);
    const mined = await selectOpenSlots(ctx.db, { ...range, below: latest, limit: turnMax, decided });
    const looks = await look(provider, mined);
    await lane.atStep('receipt');
    const final = looks.filter(({ slot, receipt }) => isFinal(lane, finals, slot, receipt));
    const { settled, deviating } = await bookFinal(ctx, lane, final);
    const others = looks.filter((one) => !final.includes(one));
    let seen = 0;
    if (!isLagging) {
      seen = await noteSeen(ctx, others);
      await noteUnseen(ctx, lane, latest);
    }
    await noteMissing(ctx, lane, finals, others);
    await noteStrange(ctx, lane, deviating, (slot) => `what ${nameOf(slot)} moved is not what was signed`);
    return settled + seen;
  });
}

/** What a node that is behind its twin does not see yet is not gone. Believed for a while only: a height may have been a lie. */
function lagsBehind(lane: Lane, head: number): boolean {
  const now = performance.now();
  if (head < lane.head.number && now - lane.head.seenAt < lagMs) return true;
  lane.head = { number: head, seenAt: now };
  return false;
}

function decidedBy({ network }: Lane, finals: ReadonlyMap<FinalityRule, FinalBlock>): Decided {
  const { rule, above } = network.finality;
  const countOf = (each: FinalityRule) => finals.get(each)?.count ?? 0;
  return {
    usual: countOf(rule),
    ...(above && { large: { amount: above.amount, count: countOf(above.rule) } }),
  };
}

const finalFor = (
  lane: Lane,
  finals: ReadonlyMap<FinalityRule, FinalBlock>,
  { amount, decimals }: OpenSlot,
) => finals.get(ruleFor(lane.network.finality, amount, decimals));

function isFinal(
  lane: Lane,
  finals: ReadonlyMap<FinalityRule, FinalBlock>,
  slot: OpenSlot,
  receipt: Receipt | undefined,
): boolean {
  const final = finalFor(lane, finals, slot);
  return (
    final !== undefined &&
    receipt !== undefined &&
    receipt.blockNumber <= final.number &&
    slot.nonce < BigInt(final.count)
  );
}

/** Shows what is in a block already, and takes it back when the block is gone. */
async function noteSeen(ctx: WorkerCtx, looks: readonly Look[]): Promise<number> {
  const news = looks
    .filter(({ receipt, isComplete }) => receipt !== undefined || isComplete)
    .map(({ slot, receipt }) => ({
      slot,
      withdrawalId: slot.withdrawalId,
      minedHash: receipt?.transactionHash ?? null,
    }))
    .filter(({ slot, minedHash }) => minedHash !== slot.transactionHash);
  return news.length > 0 ? updateSeen(ctx.db, news, ctx.now) : 0;
}

/** What was in a block that is gone waits again, and is sent again. */
async function noteUnseen(ctx: WorkerCtx, { network, signer }: Lane, latest: number): Promise<void> {
  await updateUnseen(ctx.db, { network: network.name, address: signer.address, from: latest }, ctx.now);
}

/** A nonce that is decided and has none of our transactions was used by somebody else with our key. */
async function noteMissing(
  ctx: WorkerCtx,
  lane: Lane,
  finals: ReadonlyMap<FinalityRule, FinalBlock>,
  looks: readonly Look[],
): Promise<void> {
  const where = { network: lane.network.name, address: lane.signer.address };
  const decided = looks.filter(({ slot }) => slot.nonce < BigInt(finalFor(lane, finals, slot)?.count ?? 0));
  const found = decided.filter(({ receipt, slot }) => receipt !== undefined && slot.missingSince !== null);
  const missing = decided.filter(({ receipt, isComplete }) => receipt === undefined && isComplete);
  if (found.length > 0) await updateMissing(ctx.db, where, noncesOf(found), null);
  const gone: Look[] = [];
  for (const one of missing) if (await isMissingEverywhere(lane, one.slot)) gone.push(one);
  await noteStrange(
    ctx,
    lane,
    gone,
    (slot) => `${nameOf(slot)} was used on chain by a transaction that is not ours`,
  );
}

const noncesOf = (looks: readonly Look[]) => looks.map(({ slot }) => slot.nonce);
const nameOf = ({ nonce }: OpenSlot) => `nonce ${nonce}`;

async function isMissingEverywhere({ network }: Lane, slot: OpenSlot): Promise<boolean> {
  const hashes = slot.attempts.map(({ hash }) => hash);
  const looks = await Promise.all(network.node.providers.map((provider) => readReceipts(provider, hashes)));
  return looks.flat().every((receipt) => receipt === null);
}

/**
 * One look is no proof: only what every look of a minute has shown halts the lane, and once. The hold stays and the withdrawal
 * stays `processing`: a person decides.
 */
async function noteStrange(
  ctx: WorkerCtx,
  lane: Lane,
  looks: readonly Look[],
  describe: (slot: OpenSlot) => string,
): Promise<void> {
  const where = { network: lane.network.name, address: lane.signer.address };
  const unnoted = looks.filter(({ slot }) => slot.missingSince === null);
  if (unnoted.length > 0) await updateMissing(ctx.db, where, noncesOf(unnoted), ctx.now);
  const since = ctx.now.getTime() - foreignAfterMs;
  const lasting = looks.find(
    ({ slot }) => slot.missingSince !== null && slot.missingSince.getTime() <= since && !slot.isReported,
  );
  if (!lasting) return;
  await haltLane(ctx, lane, describe(lasting.slot));
  await updateReported(ctx.db, where, lasting.slot.nonce, ctx.now);
}
