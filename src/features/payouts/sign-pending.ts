import {
  batchCalls,
  type Fees,
  type Provider,
  readBlock,
  readFees,
  readGasBalance,
  readTokenBalance,
  readTransactionCount,
} from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { lockFreeAccounts, releaseHeld } from '#features/ledger';
import { verifyApprovals } from '#features/rules';
import type { Db } from '#platform/db/db';
import { checkLane, findDoubt, isAgreed, isSure } from './check-lane.ts';
import { type Lane, tolerateNodeOutage, type WorkerCtx } from './lane.ts';
import { preflight } from './preflight.ts';
import { insertSigned, type SignedPayout } from './queries/attempts.ts';
import {
  approved,
  type ClaimedRow,
  claimPending,
  countWaiting,
  hasPending,
  isDecided,
  isDenial,
  lockPending,
  type PendingRow,
  updateFailedBeforeSigning,
  updateWaiting,
  updateWithoutKey,
} from './queries/pending.ts';
import { lockSigner } from './queries/signers.ts';
import { countUnmined, selectFreeNonces, selectSignedTotals } from './queries/slots.ts';
import { isInDoubt } from './server.ts';
import { noteUnable, passOn, shareQueue } from './share-queue.ts';
import { balanceLagBlocks, recheckMs, turnMax, unminedMax } from './timing.ts';

/**
 * pending → processing: checked once more, given a nonce, signed, and stored; nothing is sent before that is
 * committed.
 */
export function signPending(ctx: WorkerCtx, lane: Lane): Promise<number> {
  return tolerateNodeOutage(ctx, lane, async () => {
    const { network } = lane;
    const provider = network.node.pick();
    // A lane is checked at its start and from time to time even if nothing is to be signed, so that trouble
    // is reported before it matters. One of several also until it is able, or it would never get a share.
    const isIdle = isAgreed(lane, provider) && !(await hasPending(ctx.db, network.name));
    if (isIdle && (lane.ableAt !== undefined || lane.all.length === 1)) {
      lane.ableAt = performance.now();
      return 0;
    }
    const wallet = await readWallet(ctx, lane, provider);
    if (!wallet) return 0;
    const limit = Math.min(turnMax, await countRoom(ctx.db, lane));
    lane.ableAt = limit > 0 ? performance.now() : undefined;
    if (limit <= 0) return 0;
    const where = { network: network.name, address: lane.signer.address };
    const claimed = await claimPending(ctx.db, { ...where, ...shareQueue(lane), leaveMs: recheckMs, limit });
    if (claimed.length === 0) return 0;
    const free = claimed.filter(({ isFound, decision }) => !isFound && !decision);
    const rows = free.filter(({ ruling }) => ruling === null || ruling === approved);
    const found = claimed
      .filter(({ isFound }) => isFound)
      .map(({ id }) => ({ id, waitingFor: 'found payment' }));
    const decided = claimed.flatMap(({ id, isFound, decision }) =>
      decision && !isFound ? [{ id, waitingFor: decision }] : [],
    );
    const verdicts = await preflight(ctx, lane, provider, rows);
    const having = <K extends string>(key: K) =>
      rows.flatMap((row, at) =>
        key in verdicts[at]! ? [{ row, verdict: verdicts[at] as never as Record<K, string> }] : [],
      );
    const denials = chooseDenials(free).map((row) => ({
      row,
      errorMessage: `The withdrawal is ${row.ruling}`,
    }));
    const refusals = having('failed').map(({ row, verdict }) => ({ row, errorMessage: verdict.failed }));
    const waits = having('waiting').map(({ row, verdict }) => ({ id: row.id, waitingFor: verdict.waiting }));
    const ready = having('ready').map(({ row }) => row.id);
    const failed = await failPending(ctx, lane, [...denials, ...refusals]);
    const { signed, short } = await allocate(ctx, lane, wallet, ready);
    const waiting = [...waits, ...short, ...found];
    if (waiting.length + decided.length > 0) await updateWaiting(ctx.db, [...waiting, ...decided]);
    await passOn(ctx, lane, waiting);
    lane.trouble.report(
      ctx.log,
      waiting[0] ? describeWait(waiting[0].waitingFor) : await lastingTrouble(ctx, lane),
    );
    return signed + failed;
  });
}

/** How many more transactions of the wallet may be in no block at once. */
async function countRoom(db: Db, { network, signer }: Lane): Promise<number> {
  const max = Math.min(network.unminedMax ?? unminedMax, unminedMax);
  return Math.max(max - (await countUnmined(db, network.name, signer.address)), 0);
}

/** What others wait for is not over because these were signed. */
async function lastingTrouble(ctx: WorkerCtx, lane: Lane): Promise<string | undefined> {
  const trouble = lane.trouble.now;
  if (trouble === undefined) return undefined;
  const waiting = await countWaiting(ctx.db);
  const isTrouble = waiting.some(
    ({ network, waitingFor }) => network === lane.network.name && !isDecided(waitingFor),
  );
  return isTrouble ? trouble : undefined;
}

const describeWait = (waitingFor: string) =>
  ({
    'found payment':
      'a payment under its idempotency key was found on chain, with another recipient or amount: cancel the withdrawal',
    gas: 'the hot wallet is short of gas',
    node: 'the node does not answer',
    screening: 'the freeze list or the screening provider does not answer',
    token: 'a token is no longer where it was',
    'wallet key': 'the key of the hot wallet that has signed it is not in HOT_WALLET_KEYS',
  })[waitingFor] ?? `the hot wallet is short of ${waitingFor}, or the token refuses it`;

interface Wallet {
  fees: Fees;
  /** What was signed below this nonce has left the balances for sure. */
  leftBelow: number;
  gas: bigint;
  tokens: ReadonlyMap<string, bigint>;
}

/**
 * What the wallet has and what a transaction costs. Undefined if it cannot pay; the reason is then logged and
 * stored with the withdrawals that wait.
 */
async function readWallet(ctx: WorkerCtx, lane: Lane, provider: Provider): Promise<Wallet | undefined> {
  const { network, signer } = lane;
  const wait = async (waitingFor: string, trouble?: string) => {
    if (trouble) lane.trouble.report(ctx.log, trouble);
    await noteUnable(ctx, lane, waitingFor);
    return undefined;
  };
  try {
    const isFirstLook = lane === lane.all[0] && !isAgreed(lane, provider);
    const check = await checkLane(ctx, lane, provider);
    // The workers of the other deployment say what withdrawals wait for.
    if ('refused' in check && check.refused === 'deployment') return undefined;
    if (isFirstLook) await updateWithoutKey(ctx.db, namesOf(lane));
    // Where nothing may be signed for lack of standbys, other wallets may have lost payouts all the same.
    if ('refused' in check && check.refused === 'replication') await findDoubt(ctx, lane);
    if ('refused' in check) return await wait(check.refused);
    const together = batchCalls(provider);
    const addresses = [...network.tokens.values()].map(({ address }) => address);
    const [doubt, fees, leftBelow, gas, balances] = await Promise.all([
      findDoubt(ctx, lane),
      readFees(network.node.providers, network),
      readLeftBelow(together, signer.address),
      readGasBalance(together, signer.address),
      Promise.all(addresses.map((address) => readTokenBalance(together, address, signer.address))),
    ]);
    if (doubt) return await wait('halted', doubt);
    // Also about the other wallets: this one must not pay what a lagging node hides that they have paid.
    if (!lane.all.every(isSure))
      return await wait('node', `not every node of ${network.name} has answered since the start`);
    if (fees.baseFeePerGas > network.feeCap)
      return await wait('fees', `fees on ${network.name} are above the cap`);
    const tokens = new Map(addresses.map((address, at) => [address, balances[at]!]));
    return { fees, leftBelow, gas, tokens };
  } catch (error) {
    await wait('node', describeWait('node'));
    throw error;
  }
}

const namesOf = ({ network, all }: Lane) => ({
  network: network.name,
  addresses: all.map(({ signer }) => signer.address),
});

/**
 * A few blocks back: behind one address there may be several nodes, and the one that is asked for a balance
 * may lag.
 */
async function readLeftBelow(provider: Provider, address: string): Promise<number> {
  const head = (await readBlock(provider, 'latest'))?.number ?? 0;
  return readTransactionCount(provider, address, Math.max(head - balanceLagBlocks, 0));
}

interface Allocation {
  signed: number;
  /** Those that the wallet cannot pay now. */
  short: { id: string; waitingFor: string }[];
}

/**
 * One transaction under the lane's lock: nonces, signatures, slots, bytes and the counter together or not at
 * all. What is signed already and has not left the wallet is taken off the balances.
 */
async function allocate(
  ctx: WorkerCtx,
  lane: Lane,
  wallet: Wallet,
  ids: readonly string[],
): Promise<Allocation> {
  const { network, signer, atStep } = lane;
  const nothing: Allocation = { signed: 0, short: [] };
  if (ids.length === 0) return nothing;
  const allocation = await inTransaction(ctx, async ({ db, now }) => {
    const row = await lockSigner(db, network.name, signer.address);
    if (!row || (await isInDoubt({ ...ctx, db }, network.name, lane))) return nothing;
    const pending = await requireAllowed({ ...ctx, db }, await lockPending(db, signer.address, ids));
    const where = { network: network.name, address: signer.address };
    const open = await selectSignedTotals(db, { ...where, from: wallet.leftBelow });
    const shares = shareOut(lane, wallet, pending, open);
    const { short } = shares;
    // Again under the lock: `wallets.recover` relies on it that no more are open, however many workers sign.
    const affordable = shares.affordable.slice(0, await countRoom(db, lane));
    if (affordable.length === 0) return { signed: 0, short };
    await atStep('nonce');
    const nonces = await nextNonces(db, where, row.nextNonce, affordable.length);
    const signed: SignedPayout[] = [];
    for (const [at, payout] of affordable.entries()) {
      signed.push(await sign(lane, wallet.fees, payout, nonces[at]!));
    }
    await atStep('sign', signed);
    await insertSigned(db, { ...where, now }, signed);
    return { signed: signed.length, short };
  });
  if (allocation.signed > 0) await atStep('store');
  return allocation;
}

/** Of those that a sum denies only the first: when it fails, the others may fit. */
function chooseDenials(rows: readonly ClaimedRow[]): ClaimedRow[] {
  const denied = rows.filter(({ ruling }) => isDenial(ruling));
  const [first] = denied.filter(({ isBySum }) => isBySum);
  return [...denied.filter(({ isBySum }) => !isBySum), ...(first ? [first] : [])];
}

/** Rules may have been published since the claim, and an approval holds only for what its passkey signed. */
async function requireAllowed(ctx: Ctx, locked: readonly PendingRow[]): Promise<PendingRow[]> {
  const asked = locked.filter(({ ruling }) => ruling === approved).map(({ id }) => id);
  const verified = await verifyApprovals(ctx, asked);
  return locked.filter(({ id, ruling }) => ruling === null || verified.has(id));
}

/** Nonces whose bytes never left come first: what was signed after them waits for them on chain. */
async function nextNonces(
  db: Db,
  where: { network: string; address: string },
  next: bigint,
  count: number,
): Promise<bigint[]> {
  const free = await selectFreeNonces(db, where, count);
  return [...free, ...Array.from({ length: count - free.length }, (_, at) => next + BigInt(at))];
}

async function sign(
  { network, signer }: Lane,
  fees: Fees,
  payout: PendingRow,
  nonce: bigint,
): Promise<SignedPayout> {
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  const { hash, raw } = await signer.signTransfer({
    chainId: network.chainId,
    nonce: Number(nonce),
    gas: network.transferGas,
    token: payout.tokenAddress,
    to: payout.toAddress,
    amount: payout.amount,
    reference: payout.id,
    keyMark: payout.keyMark,
    maxFeePerGas,
    maxPriorityFeePerGas,
  });
  return { withdrawalId: payout.id, nonce, hash, raw, maxFeePerGas, maxPriorityFeePerGas };
}

function shareOut(
  { network }: Lane,
  { fees, gas, tokens }: Wallet,
  pending: readonly PendingRow[],
  open: readonly { tokenAddress: string; amount: bigint; count: bigint }[],
) {
  const gasEach = network.transferGas * fees.maxFeePerGas;
  let gasLeft = gas - open.reduce((sum, { count }) => sum + count, 0n) * gasEach;
  const left = new Map(tokens);
  for (const { tokenAddress, amount } of open)
    left.set(tokenAddress, (left.get(tokenAddress) ?? 0n) - amount);
  const affordable: PendingRow[] = [];
  const short: Allocation['short'] = [];
  for (const row of pending) {
    const tokensLeft = left.get(row.tokenAddress) ?? 0n;
    if (gasLeft < gasEach) short.push({ id: row.id, waitingFor: 'gas' });
    else if (tokensLeft < row.amount) short.push({ id: row.id, waitingFor: row.currency });
    else {
      gasLeft -= gasEach;
      left.set(row.tokenAddress, tokensLeft - row.amount);
      affordable.push(row);
    }
  }
  return { affordable, short };
}

/** How many; one whose account is locked by somebody else is checked again later. */
async function failPending(
  ctx: Ctx,
  lane: Lane,
  failures: readonly { row: PendingRow; errorMessage: string }[],
): Promise<number> {
  if (failures.length === 0) return 0;
  const network = lane.network.name;
  return inTransaction(ctx, async (ctx) => {
    const { db, now } = ctx;
    if (await isInDoubt(ctx, network, lane)) return 0;
    // Another worker may have signed or failed one since it was claimed, and other rules may allow it.
    const ids = failures.map(({ row }) => row.id);
    const pending = new Map((await lockPending(db, lane.signer.address, ids)).map((row) => [row.id, row]));
    const still = failures.filter(({ row: { id, ruling } }) => {
      const now = pending.get(id);
      return now && (!isDenial(ruling) || isDenial(now.ruling));
    });
    const held = still.map(({ row: { userId, currency, amount } }) => ({
      userId,
      network,
      currency,
      amount,
    }));
    const isFree = await lockFreeAccounts(db, held);
    const ours = still.filter((_, at) => isFree[at]);
    if (ours.length === 0) return 0;
    await releaseHeld(
      db,
      held.filter((_, at) => isFree[at]),
    );
    await updateFailedBeforeSigning(
      db,
      ours.map(({ row, errorMessage }) => ({ id: row.id, errorMessage })),
      now,
    );
    return ours.length;
  });
}
