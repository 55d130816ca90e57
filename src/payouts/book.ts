import { inTransaction } from '../context.ts';
import { matchTransfer, type Receipt, readReceipts } from '../evm/index.ts';
import { postWithdrawals, releaseHeld } from '../ledger/index.ts';
import { DatabaseUnavailable } from '../platform/errors.ts';
import type { Lane, WorkerCtx } from './lane.ts';
import { isReceipt, type Look } from './look.ts';
import { lockOpenSlots, type OpenSlot, type SettledSlot, updateSettled } from './queries.ts';

type Judged = SettledSlot & { slot: OpenSlot; logIndex: number };

export interface Booked {
  settled: number;
  /** What the chain shows of these cannot come from the transfer that was signed. */
  deviating: Look[];
}

/**
 * Books what is final on chain: completed where the transfer is there, failed where it was reverted. The first says more than one
 * node could make up; for the others every node that answers must say the same.
 */
export async function bookFinal(ctx: WorkerCtx, lane: Lane, looks: readonly Look[]): Promise<Booked> {
  const completed: Judged[] = [];
  const failed: Judged[] = [];
  const deviating: Look[] = [];
  for (const one of looks) {
    const verdict = judge(lane, one.slot, one.receipt!);
    if (verdict?.status === 'completed') completed.push(verdict);
    else if (!(await isConfirmed(lane, one.slot, one.receipt!))) continue;
    else if (verdict) failed.push(verdict);
    else deviating.push(one);
  }
  // Apart, because each locks the accounts that it needs in one go.
  const settled = (await settleCompleted(ctx, lane, completed)) + (await settleFailed(ctx, lane, failed));
  return { settled, deviating };
}

async function isConfirmed(lane: Lane, slot: OpenSlot, receipt: Receipt): Promise<boolean> {
  const { providers } = lane.network.node;
  const answers = await Promise.all(
    providers.map((provider) => readReceipts(provider, [receipt.transactionHash])),
  );
  const verdicts = answers
    .flat()
    .filter(isReceipt)
    .map((each) => judge(lane, slot, each)?.status);
  const verdict = judge(lane, slot, receipt)?.status;
  return verdicts.length > 0 && verdicts.every((each) => each === verdict);
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
        description: slot.description ?? `Withdrawal of ${slot.currency} on ${lane.network.name}`,
      })),
    );
    await lane.atStep('ledger');
  });
}

async function settleFailed(ctx: WorkerCtx, lane: Lane, judged: readonly Judged[]): Promise<number> {
  return settleSlots(ctx, lane, judged, async ({ db }, ours) => {
    const network = lane.network.name;
    await releaseHeld(
      db,
      ours.map(({ slot: { userId, currency, amount } }) => ({ userId, network, currency, amount })),
    );
  });
}

type Book = (ctx: WorkerCtx, ours: readonly Judged[]) => Promise<void>;

/** All at once; where one of them cannot be booked, one by one, so that it does not hold the others up. */
async function settleSlots(
  ctx: WorkerCtx,
  lane: Lane,
  judged: readonly Judged[],
  book: Book,
): Promise<number> {
  if (judged.length === 0) return 0;
  try {
    return await settleTogether(ctx, lane, judged, book);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    const [first, ...others] = judged;
    if (others.length > 0) {
      let settled = 0;
      for (const one of judged) settled += await settleSlots(ctx, lane, [one], book);
      return settled;
    }
    const { withdrawalId, minedHash } = first!;
    ctx.log.error({ err: error, withdrawalId, minedHash }, 'a final payout cannot be booked; tried again');
    return 0;
  }
}

/** In one transaction, guarded by the slot's state: whoever comes second finds nothing to do. */
async function settleTogether(
  ctx: WorkerCtx,
  lane: Lane,
  judged: readonly Judged[],
  book: Book,
): Promise<number> {
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
