import { matchTransfer, type Receipt } from '#adapters/evm';
import { inTransaction } from '#context';
import { lockFree, type PaidWithdrawal, postWithdrawals, releaseHeld } from '#features/ledger';
import { DatabaseUnavailable } from '#platform/errors/errors';
import type { Lane, WorkerCtx } from './lane.ts';
import { type SettledSlot, updateSettled } from './queries/settled.ts';
import { lockOpenSlots, type OpenSlot, type PaidSlot } from './queries/slots.ts';

type Judged = SettledSlot & { slot: OpenSlot; logIndex: number };

/** A nonce and the receipt that the nodes agree on. */
export interface FinalSlot {
  slot: OpenSlot;
  receipt: Receipt;
}

export interface Recorded {
  settled: number;
  /** Final but not settled, because the ledger is locked or the posting failed; retried in a later turn. */
  left: number;
  /** The signed transfer cannot have caused what the chain shows for these. */
  deviating: FinalSlot[];
}

/** Posts what is final on chain: completed if the transfer is there, failed if it was reverted. */
export async function recordFinal(
  ctx: WorkerCtx,
  lane: Lane,
  finals: readonly FinalSlot[],
): Promise<Recorded> {
  const judged = finals.map((one) => ({ ...one, verdict: judge(lane.signer.address, one) }));
  const having = (status: Judged['status']) =>
    judged.flatMap(({ verdict }) => (verdict?.status === status ? [verdict] : []));
  // Separately, because each locks its accounts in one statement.
  const [completed, failed] = [having('completed'), having('failed')];
  const settled = (await settleCompleted(ctx, lane, completed)) + (await settleFailed(ctx, lane, failed));
  const left = completed.length + failed.length - settled;
  return { settled, left, deviating: judged.filter(({ verdict }) => !verdict) };
}

/** What a receipt says about the transfer of a nonce. */
export type Outcome = { status: 'completed'; logIndex: number } | { status: 'failed' };

/**
 * Undefined if the receipt shows something that our transfer cannot do. That includes success without the
 * transfer's log: more likely a node that lost logs than a token that moved nothing. Only a revert proves
 * that nobody was paid.
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

/** The input of the ledger's posting for a paid withdrawal. */
export function toPaid(
  network: string,
  { slot, minedHash, logIndex }: { slot: OpenSlot; minedHash: string; logIndex: number },
): PaidWithdrawal {
  const { withdrawalId, userId, recipientUserId, currency, amount } = slot;
  const description = slot.description ?? `Withdrawal of ${currency} on ${network}`;
  return {
    withdrawalId,
    userId,
    recipientUserId,
    network,
    currency,
    amount,
    description,
    transactionHash: minedHash,
    logIndex,
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

type PostSlots = (ctx: WorkerCtx, ours: readonly Judged[]) => Promise<void>;

/**
 * All in one batch; if one fails, each alone, so that it cannot fail the others. For a user whose rows
 * another session keeps locked only one is tried, because each would wait for the lock.
 */
async function settleSlots(
  ctx: WorkerCtx,
  lane: Lane,
  judged: readonly Judged[],
  post: PostSlots,
): Promise<number> {
  if (judged.length === 0) return 0;
  try {
    return await settleTogether(ctx, lane, judged, post);
  } catch (error) {
    if (error instanceof DatabaseUnavailable && error.isConnectionLost) throw error;
    if (judged.length === 1) return logUnposted(ctx, judged[0]!, error);
  }
  let settled = 0;
  const blocked = new Set<string>();
  for (const one of judged) {
    const { userId } = one.slot;
    if (blocked.has(userId)) continue;
    const done = await settleSlots(ctx, lane, [one], post);
    if (done === 0) blocked.add(userId);
    settled += done;
  }
  return settled;
}

function logUnposted(ctx: WorkerCtx, { withdrawalId, minedHash }: Judged, err: unknown): 0 {
  ctx.log.error({ err, withdrawalId, minedHash }, 'a final payout could not be posted; retrying');
  return 0;
}

/** One transaction, guarded by the slot's state: the second worker finds nothing to do. */
async function settleTogether(
  ctx: WorkerCtx,
  lane: Lane,
  judged: readonly Judged[],
  post: PostSlots,
): Promise<number> {
  const where = { network: lane.network.name, address: lane.signer.address };
  return inTransaction(ctx, async (ctx) => {
    const open = await lockOpenSlots(ctx.db, { ...where, nonces: judged.map(({ nonce }) => nonce) });
    const ours = await leaveOutLocked(
      ctx,
      where.network,
      judged.filter(({ nonce }) => open.has(nonce)),
    );
    if (ours.length === 0) return 0;
    await post(ctx, ours);
    await updateSettled(ctx.db, { ...where, now: ctx.now }, ours);
    return ours.length;
  });
}

/**
 * Locks the ledgers that no other session has locked, so that posting waits for nobody. The others are posted
 * in a later turn.
 */
async function leaveOutLocked(
  { db, log }: WorkerCtx,
  network: string,
  judged: readonly Judged[],
): Promise<readonly Judged[]> {
  const ownersOf = ({ slot: { userId, recipientUserId, currency } }: Judged) =>
    [userId, recipientUserId].flatMap((user) => (user === null ? [] : [{ userId: user, network, currency }]));
  const owners = judged.flatMap(ownersOf);
  const isFree = await lockFree(db, owners);
  const busy = new Set(owners.filter((_, at) => !isFree[at]).map(({ userId }) => userId));
  const free = judged.filter((one) => !ownersOf(one).some(({ userId }) => busy.has(userId)));
  const locked = judged.length - free.length;
  if (locked > 0)
    log.debug({ network, payouts: locked }, 'locked by another session; settled at a later turn');
  return free;
}
