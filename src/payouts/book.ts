import { inTransaction } from '../context.ts';
import { matchTransfer, type Receipt } from '../evm/index.ts';
import { type PaidWithdrawal, postWithdrawals, releaseHeld } from '../ledger/index.ts';
import { DatabaseUnavailable } from '../platform/errors.ts';
import type { Lane, WorkerCtx } from './lane.ts';
import { lockOpenSlots, type OpenSlot, type PaidSlot, type SettledSlot, updateSettled } from './queries.ts';

type Judged = SettledSlot & { slot: OpenSlot; logIndex: number };

/** A nonce and the receipt that the nodes agree on. */
export interface FinalSlot {
  slot: OpenSlot;
  receipt: Receipt;
}

export interface Booked {
  settled: number;
  /** What the chain shows of these cannot come from the transfer that was signed. */
  deviating: FinalSlot[];
}

/** Books what is final on chain: completed where the transfer is there, failed where it was reverted. */
export async function bookFinal(ctx: WorkerCtx, lane: Lane, finals: readonly FinalSlot[]): Promise<Booked> {
  const judged = finals.map((one) => ({ ...one, verdict: judge(lane.signer.address, one) }));
  const having = (status: Judged['status']) =>
    judged.flatMap(({ verdict }) => (verdict?.status === status ? [verdict] : []));
  // Apart, because each locks the accounts that it needs in one go.
  const settled =
    (await settleCompleted(ctx, lane, having('completed'))) +
    (await settleFailed(ctx, lane, having('failed')));
  return { settled, deviating: judged.filter(({ verdict }) => !verdict) };
}

/** What a receipt says of the transfer of a nonce. */
export type Outcome = { status: 'completed'; logIndex: number } | { status: 'failed' };

/**
 * Undefined where the receipt says something that a transfer of ours cannot do: also success without a trace of the transfer,
 * which is a node that lost the logs sooner than a token that moved nothing. Only a revert is proof that nobody was paid.
 */
export function outcomeOf(
  from: string,
  { tokenAddress: token, toAddress: to, amount }: PaidSlot,
  receipt: Receipt,
): Outcome | undefined {
  const match = matchTransfer(receipt, { token, from, to, amount });
  if (match.kind === 'exact') return { status: 'completed', logIndex: match.logIndex };
  return match.kind === 'other' || receipt.isSuccess ? undefined : { status: 'failed' };
}

function judge(from: string, { slot, receipt }: FinalSlot): Judged | undefined {
  const outcome = outcomeOf(from, slot, receipt);
  const facts = { slot, nonce: slot.nonce, withdrawalId: slot.withdrawalId };
  const mined = { ...facts, minedHash: receipt.transactionHash };
  if (outcome?.status === 'completed') {
    const { logIndex } = outcome;
    return { ...mined, status: 'completed', transferStatus: 'confirmed', errorMessage: null, logIndex };
  }
  if (!outcome) return undefined;
  const errorMessage = 'The transaction was reverted on chain';
  return { ...mined, status: 'failed', transferStatus: 'reverted', errorMessage, logIndex: -1 };
}

async function settleCompleted(ctx: WorkerCtx, lane: Lane, judged: readonly Judged[]): Promise<number> {
  return settleSlots(ctx, lane, judged, async (ctx, ours) => {
    await postWithdrawals(
      ctx,
      ours.map((one) => toPaid(lane.network.name, one)),
    );
    await lane.atStep('ledger');
  });
}

/** As the ledger posts it. */
export function toPaid(
  network: string,
  { slot, minedHash, logIndex }: { slot: OpenSlot; minedHash: string; logIndex: number },
): PaidWithdrawal {
  const { withdrawalId, userId, recipientUserId, currency, amount } = slot;
  const description = slot.description ?? `Withdrawal of ${currency} on ${network}`;
  return {
    ...{ withdrawalId, userId, recipientUserId, network, currency, amount, description },
    ...{ transactionHash: minedHash, logIndex },
  };
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
