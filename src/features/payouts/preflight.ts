import { NodeError, type Provider, simulateTransfers, type Token } from '#adapters/evm';
import { selectBlockedAmong } from '#features/users';
import { checkEligibility } from './eligibility.ts';
import { listHotWallets } from './hot-wallets.ts';
import type { Lane, WorkerCtx } from './lane.ts';
import type { PendingRow } from './queries/pending.ts';

/** `waiting` has the reason in one word, for operators and `/metrics`. */
export type Preflight = { ready: true } | { failed: string } | { waiting: string };

const notEligible: Preflight = { failed: 'Receiver is not eligible to receive tokens' };

/**
 * Checks withdrawals just before signing, without side effects. Only a permanent reason fails a withdrawal,
 * and only after a second check, at another node if possible, found the same.
 */
export async function preflight(
  ctx: WorkerCtx,
  lane: Lane,
  provider: Provider,
  rows: readonly PendingRow[],
): Promise<Preflight[]> {
  const first = await lookAll(ctx, lane, provider, rows);
  const refused = rows.filter((_, at) => 'failed' in first[at]!);
  const second = await lookAll(ctx, lane, lane.network.node.pick(provider), refused);
  return rows.map((row, at) => {
    const again = second[refused.indexOf(row)];
    return again === undefined || 'failed' in again ? first[at]! : { waiting: 'node' };
  });
}

async function lookAll(
  ctx: WorkerCtx,
  lane: Lane,
  provider: Provider,
  rows: readonly PendingRow[],
): Promise<Preflight[]> {
  if (rows.length === 0) return [];
  const blocked = await selectBlockedAmong(
    ctx.db,
    rows.map(({ toAddress }) => toAddress),
  );
  const own = await listHotWallets(ctx, lane.network);
  const verdicts = new Map<string, Preflight>();
  for (const token of lane.network.tokens.values()) {
    const ofToken = rows.filter(({ tokenAddress }) => tokenAddress === token.address);
    const found = await lookAtToken(ctx, lane, provider, token, ofToken);
    found.forEach((verdict, at) => {
      verdicts.set(ofToken[at]!.id, verdict);
    });
  }
  return rows.map(({ id, toAddress }) => {
    if (blocked.has(toAddress) || own.includes(toAddress)) return notEligible;
    // The token table changed since the withdrawal was created.
    return verdicts.get(id) ?? { waiting: 'token' };
  });
}

async function lookAtToken(
  ctx: WorkerCtx,
  lane: Lane,
  provider: Provider,
  token: Token,
  rows: readonly PendingRow[],
): Promise<Preflight[]> {
  if (rows.length === 0) return [];
  const { network, signer } = lane;
  const addresses = rows.map(({ toAddress }) => toAddress);
  const transfers = rows.map(({ id, toAddress, amount, keyMark }) => ({
    token: token.address,
    to: toAddress,
    amount,
    reference: id,
    keyMark,
  }));
  const [eligible, simulated] = await Promise.all([
    checkEligibility(ctx, { network, token }, addresses, provider),
    simulateTransfers(provider, signer.address, transfers),
  ]);
  // A refused transfer may be our fault: a wallet with too little balance, a frozen wallet, a paused token.
  // If sending the same amount to ourselves is refused too, the withdrawal waits.
  const reverted = transfers.filter((_, at) => isRevert(simulated[at]));
  const toOurselves = await simulateTransfers(
    provider,
    signer.address,
    reverted.map((transfer) => ({ ...transfer, to: signer.address })),
  );
  return transfers.map((transfer, at) => {
    const outcome = simulated[at]!;
    if (eligible[at] === 'refused') return notEligible;
    if (outcome instanceof NodeError) return { waiting: 'node' };
    if (eligible[at] === 'unknown') return { waiting: 'screening' };
    if (outcome === 'ok') return { ready: true };
    const ours = toOurselves[reverted.indexOf(transfer)]!;
    if (ours === 'ok') return { failed: `The token refuses this transfer: ${outcome.reverted}` };
    return { waiting: ours instanceof NodeError ? 'node' : token.symbol };
  });
}

const isRevert = (outcome: unknown): boolean => !(outcome instanceof NodeError) && outcome !== 'ok';
