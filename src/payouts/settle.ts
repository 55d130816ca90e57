import { inTransaction } from '../context.ts';
import {
  type FinalityRule,
  matchTransfer,
  NodeError,
  type Provider,
  type Receipt,
  readBlock,
  readBlockHashes,
  readFinalBlock,
  readReceipts,
  readTransactionCount,
  ruleFor,
} from '../evm/index.ts';
import { lockAccounts, postWithdrawals, releaseFunds } from '../ledger/index.ts';
import { haltLane } from './check-lane.ts';
import { type Lane, throughWeather, type WorkerCtx } from './lane.ts';
import {
  type Decided,
  lockOpenSlots,
  type OpenSlot,
  type SettledSlot,
  selectOpenBounds,
  selectOpenSlots,
  updateMissing,
  updateSeen,
  updateSettled,
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
    const head = (await readBlock(provider, 'latest'))?.number ?? 0;
    const latest = await readTransactionCount(provider, signer.address, 'latest');
    const isLagging = lagsBehind(lane, head);
    if (BigInt(latest) <= bounds.lowest) {
      if (!isLagging) await noteUnseen(ctx, lane, latest);
      return 0;
    }
    const finals = await readFinalBlocks(lane, provider);
    const range = { network: network.name, address: signer.address, from: Number(bounds.lowest) };
    const decided = decidedBy(lane, finals);
    const mined = await selectOpenSlots(ctx.db, { ...range, below: latest, limit: turnMax, decided });
    const looks = await look(provider, mined);
    await lane.atStep('receipt');
    const final = looks.filter(({ slot, receipt }) => isFinal(lane, finals, slot, receipt));
    const settled = await settle(ctx, lane, final);
    const others = looks.filter((one) => !final.includes(one));
    let seen = 0;
    if (!isLagging) {
      seen = await noteSeen(ctx, others);
      await noteUnseen(ctx, lane, latest);
    }
    await noteMissing(ctx, lane, finals, others);
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

interface FinalBlock {
  number: number;
  /** The wallet's transaction count at that block: lower nonces are decided. */
  count: number;
}

async function readFinalBlocks(
  { network, signer }: Lane,
  provider: Provider,
): Promise<ReadonlyMap<FinalityRule, FinalBlock>> {
  const { rule, above } = network.finality;
  const finals = new Map<FinalityRule, FinalBlock>();
  for (const each of new Set(above ? [rule, above.rule] : [rule])) {
    const block = await readFinalBlock(provider, each);
    if (!block) continue;
    finals.set(each, {
      number: block.number,
      count: await readTransactionCount(provider, signer.address, block.number),
    });
  }
  return finals;
}

function decidedBy({ network }: Lane, finals: ReadonlyMap<FinalityRule, FinalBlock>): Decided {
  const { rule, above } = network.finality;
  const countOf = (each: FinalityRule) => finals.get(each)?.count ?? 0;
  return {
    usual: countOf(rule),
    ...(above && { large: { amount: above.amount, count: countOf(above.rule) } }),
  };
}

interface Look {
  slot: OpenSlot;
  /** Of one of our transactions, in a block of the canonical chain. Undefined: there is none. */
  receipt: Receipt | undefined;
  /** Whether the node answered about every transaction of the slot. */
  isComplete: boolean;
}

/** Finds for each slot which of its transactions is in the chain. */
async function look(provider: Provider, slots: readonly OpenSlot[]): Promise<Look[]> {
  const hashes = slots.flatMap(({ attempts }) => attempts.map(({ hash }) => hash));
  const receipts = new Map(
    (await readReceipts(provider, hashes)).map((receipt, at) => [hashes[at]!, receipt]),
  );
  const numbers = [
    ...new Set(
      [...receipts.values()].flatMap((receipt) => (isReceipt(receipt) ? [receipt.blockNumber] : [])),
    ),
  ];
  const blockHashes = await readBlockHashes(provider, numbers);
  const canonical = new Map(numbers.map((number, at) => [number, blockHashes[at]]));
  return slots.map((slot) => {
    const ours = slot.attempts.map(({ hash }) => receipts.get(hash));
    const receipt = ours
      .filter(isReceipt)
      .find(({ blockNumber, blockHash }) => canonical.get(blockNumber) === blockHash);
    const isComplete = ours.every((answer) =>
      isReceipt(answer) ? !(canonical.get(answer.blockNumber) instanceof NodeError) : answer === null,
    );
    return { slot, receipt, isComplete };
  });
}

const isReceipt = (answer: Receipt | null | NodeError | undefined): answer is Receipt =>
  answer !== null && answer !== undefined && !(answer instanceof NodeError);

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

type Judged = SettledSlot & { slot: OpenSlot; logIndex: number };

async function settle(ctx: WorkerCtx, lane: Lane, looks: readonly Look[]): Promise<number> {
  const judged: Judged[] = [];
  for (const { slot, receipt } of looks) {
    const verdict = judge(lane, slot, receipt!);
    if (verdict) judged.push(verdict);
    else await haltLane(ctx, lane, `${receipt!.transactionHash} did not move what it was signed for`);
  }
  // Apart, because each locks the accounts that it needs in one go.
  const completed = await settleCompleted(
    ctx,
    lane,
    judged.filter(({ status }) => status === 'completed'),
  );
  const failed = await settleFailed(
    ctx,
    lane,
    judged.filter(({ status }) => status === 'failed'),
  );
  return completed + failed;
}

/**
 * Undefined where the receipt says something that a transfer of ours cannot do: also success without a trace of the transfer,
 * which is a node that lost the logs sooner than a token that moved nothing. Only a revert is proof that nobody was paid.
 */
function judge({ signer }: Lane, slot: OpenSlot, receipt: Receipt): Judged | undefined {
  const { tokenAddress: token, toAddress: to, amount, nonce, withdrawalId } = slot;
  const match = matchTransfer(receipt, { token, from: signer.address, to, amount });
  const facts = { slot, nonce, withdrawalId, minedHash: receipt.transactionHash };
  if (match.kind === 'exact') {
    const { logIndex } = match;
    return { ...facts, status: 'completed', transferStatus: 'confirmed', errorMessage: null, logIndex };
  }
  if (match.kind === 'other' || receipt.isSuccess) return undefined;
  const errorMessage = 'The transaction was reverted on chain';
  return { ...facts, status: 'failed', transferStatus: 'reverted', errorMessage, logIndex: -1 };
}

async function settleCompleted(ctx: WorkerCtx, lane: Lane, judged: readonly Judged[]): Promise<number> {
  return settleSlots(ctx, lane, judged, async (ctx, ours) => {
    await postWithdrawals(
      ctx,
      ours.map(({ slot, minedHash, logIndex }) => ({
        withdrawalId: slot.withdrawalId,
        userId: slot.userId,
        recipientUserId: slot.recipientUserId,
        network: lane.network.name,
        currency: slot.currency,
        amount: slot.amount,
        transactionHash: minedHash,
        logIndex,
        description: `Withdrawal of ${slot.currency} on ${lane.network.name}`,
      })),
    );
    await lane.atStep('ledger');
  });
}

async function settleFailed(ctx: WorkerCtx, lane: Lane, judged: readonly Judged[]): Promise<number> {
  return settleSlots(ctx, lane, judged, async ({ db }, ours) => {
    const accounts = await lockAccounts(
      db,
      ours.map(({ slot }) => ({ userId: slot.userId, network: lane.network.name, currency: slot.currency })),
    );
    await releaseFunds(
      db,
      ours.map(({ slot }, at) => ({ accountId: accounts[at]!.accountId, amount: slot.amount })),
    );
  });
}

/** In one transaction, guarded by the slot's state: whoever comes second finds nothing to do. */
async function settleSlots(
  ctx: WorkerCtx,
  lane: Lane,
  judged: readonly Judged[],
  book: (ctx: WorkerCtx, ours: readonly Judged[]) => Promise<void>,
): Promise<number> {
  if (judged.length === 0) return 0;
  const where = { network: lane.network.name, address: lane.signer.address };
  return inTransaction(ctx, async (ctx) => {
    const open = await lockOpenSlots(ctx.db, { ...where, nonces: judged.map(({ nonce }) => nonce) });
    const ours = judged.filter(({ nonce }) => open.has(nonce));
    if (ours.length === 0) return 0;
    await book(ctx, ours);
    await updateSettled(ctx.db, { ...where, now: ctx.now }, ours);
    return ours.length;
  });
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
    .filter(({ slot, minedHash }) => (minedHash !== null) !== (slot.transferStatus === 'mined'));
  return news.length > 0 ? updateSeen(ctx.db, news, ctx.now) : 0;
}

/** What was in a block that is gone waits again, and is sent again. */
async function noteUnseen(ctx: WorkerCtx, { network, signer }: Lane, latest: number): Promise<void> {
  await updateUnseen(ctx.db, { network: network.name, address: signer.address, from: latest }, ctx.now);
}

/**
 * A nonce that is decided and has none of our transactions was used by somebody else with our key. No answer, or one look, is
 * no proof: only after every look of a minute found nothing, and then every node says so, is the lane halted. The hold stays
 * and the withdrawal stays `processing`: a person decides.
 */
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
  const noncesOf = (some: readonly Look[]) => some.map(({ slot }) => slot.nonce);
  if (found.length > 0) await updateMissing(ctx.db, where, noncesOf(found), null);
  const unnoted = missing.filter(({ slot }) => slot.missingSince === null);
  if (unnoted.length > 0) await updateMissing(ctx.db, where, noncesOf(unnoted), ctx.now);
  const since = ctx.now.getTime() - foreignAfterMs;
  for (const { slot } of missing) {
    if (slot.missingSince === null || slot.missingSince.getTime() > since) continue;
    if (await isMissingEverywhere(lane, slot)) {
      await haltLane(ctx, lane, `nonce ${slot.nonce} was used on chain by a transaction that is not ours`);
      return;
    }
  }
}

async function isMissingEverywhere({ network }: Lane, slot: OpenSlot): Promise<boolean> {
  const hashes = slot.attempts.map(({ hash }) => hash);
  const looks = await Promise.all(network.node.providers.map((provider) => readReceipts(provider, hashes)));
  return looks.flat().every((receipt) => receipt === null);
}
