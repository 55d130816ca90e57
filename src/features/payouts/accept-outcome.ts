import { type Move, parseAddress, type Receipt, readMoves } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { postWithdrawals, releaseHeld } from '#features/ledger';
import { askAbout } from './ask-about.ts';
import { askNode } from './ask-node.ts';
import { payoutErrors } from './errors.ts';
import { selectNonceOf } from './queries/attempts.ts';
import { updateSettled } from './queries/settled.ts';
import { lockOpenSlots, type OpenSlot, selectOpenSlots } from './queries/slots.ts';
import { outcomeOf, toPaid } from './record-final.ts';

export interface OutcomeToAccept {
  network: string;
  address: string;
  transactionHash: string;
  outcome: 'completed' | 'failed';
}

export interface AcceptedOutcome {
  withdrawalId: string;
  outcome: 'completed' | 'failed';
  /** What the transaction moved of the token out of the wallet, including fees that the token took. */
  moved: Move[];
}

interface Where {
  network: string;
  address: string;
}

/**
 * Settles a payout whose own transaction is final and moved something other than was signed, such as with a
 * fee-taking token. The operator names the outcome, and the nodes must agree with it: completed only if the
 * recipient was paid, failed only if not. The ledger posts the withdrawal's amount; the operator posts any
 * other movement.
 */
export async function acceptOutcome(
  ctx: Ctx,
  { network, address, transactionHash, outcome }: OutcomeToAccept,
): Promise<AcceptedOutcome> {
  const wallet = parseAddress(address);
  if (!wallet) throw payoutErrors.walletNotFound();
  const where = { network, address: wallet };
  const hash = transactionHash.toLowerCase();
  const slot = await findOpen(ctx, where, hash);
  const receipt = await readAgreed(ctx, where, slot, hash);
  if (outcomeOf(wallet, slot, receipt)) throw payoutErrors.outcomeClear();
  const moved = readMoves(receipt, { token: slot.tokenAddress, from: wallet });
  const paid = moved.find(({ to }) => to === slot.toAddress);
  if (outcome === 'completed' && !paid) throw payoutErrors.recipientNotPaid();
  if (outcome === 'failed' && paid) throw payoutErrors.recipientPaid();
  const { withdrawalId } = slot;
  await inTransaction(ctx, async (ctx) => {
    const locked = await lockOpenSlots(ctx.db, { ...where, nonces: [slot.nonce] });
    if (!locked.has(slot.nonce)) throw payoutErrors.payoutNotOpen();
    await settle(ctx, where, slot, { minedHash: hash, paid });
    await recordChange(ctx, {
      action: 'wallets.accept-outcome',
      subject: `withdrawal:${withdrawalId}`,
      before: { status: 'processing' },
      after: {
        outcome,
        transactionHash: hash,
        moved: moved.map(({ to, amount }) => ({ to, amount: String(amount) })),
      },
    });
  });
  return { withdrawalId, outcome, moved };
}

async function findOpen({ db }: Ctx, where: Where, hash: string): Promise<OpenSlot> {
  const nonce = await selectNonceOf(db, { ...where, hash });
  const from = Number(nonce);
  const [slot] =
    nonce === undefined ? [] : await selectOpenSlots(db, { ...where, from, below: from + 1, limit: 1 });
  if (!slot) throw payoutErrors.payoutNotOpen();
  return slot;
}

async function readAgreed(ctx: Ctx, where: Where, slot: OpenSlot, hash: string): Promise<Receipt> {
  const [agreement] = await askNode(ctx, where.network, (network) =>
    askAbout({ network, address: where.address }, [slot]),
  );
  const { final, answers } = agreement!;
  if (final?.transactionHash === hash) return final;
  throw answers.length > 1 && answers.some(({ receipt }) => receipt)
    ? payoutErrors.nodesDiffer()
    : payoutErrors.transactionNotFinal();
}

async function settle(
  ctx: Ctx,
  where: Where,
  slot: OpenSlot,
  { minedHash, paid }: { minedHash: string; paid: Move | undefined },
): Promise<void> {
  const { userId, currency, amount, nonce, withdrawalId } = slot;
  const { network } = where;
  if (paid) await postWithdrawals(ctx, [toPaid(network, { slot, minedHash, logIndex: paid.logIndex })]);
  else await releaseHeld(ctx.db, [{ userId, network, currency, amount }]);
  const ended = paid
    ? { status: 'completed' as const, errorMessage: null }
    : { status: 'failed' as const, errorMessage: 'The transaction moved nothing to the recipient' };
  await updateSettled(ctx.db, { ...where, now: ctx.now }, [
    { nonce, withdrawalId, minedHash, transferStatus: 'confirmed', ...ended },
  ]);
}
