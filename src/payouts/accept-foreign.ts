import { recordChange } from '../audit/index.ts';
import { type Ctx, inTransaction } from '../context.ts';
import {
  type EvmNetwork,
  matchTransfer,
  NodeError,
  parseAddress,
  paysAnything,
  readBlockHashes,
  readFinalBlock,
  readReceipts,
  readSentTransaction,
  strictestRule,
} from '../evm/index.ts';
import { releaseHeld } from '../ledger/index.ts';
import { askNode } from './ask-node.ts';
import { payoutErrors } from './errors.ts';
import {
  insertAttempts,
  lockOpenSlots,
  type OpenSlot,
  selectOpenSlots,
  updateSettled,
  withdrawalExists,
} from './queries.ts';

export interface ForeignTransaction {
  network: string;
  address: string;
  transactionHash: string;
}

export interface Accepted {
  withdrawalId: string;
  outcome: 'failed' | 'paid';
}

/**
 * Ends a payout whose nonce was used by a transaction that this database does not have. That is the proof that our own will
 * never be mined. What that transaction did is told by its receipt, on which every node must agree: if it paid the recipient
 * nothing, the withdrawal failed and its hold is released; if it paid exactly this, its bytes are stored and settling finds it, as
 * with a transfer that was signed before the database was restored. Anything else is not ours to judge.
 */
export async function acceptForeign(
  ctx: Ctx,
  { network: name, address, transactionHash }: ForeignTransaction,
): Promise<Accepted> {
  const wallet = parseAddress(address);
  if (!wallet) throw payoutErrors.walletNotFound();
  const hash = transactionHash.toLowerCase();
  const foreign = await askNode(ctx, name, (network) => readFinal(network, hash));
  const { nonce, transfer, receipt } = foreign;
  const where = { network: name, address: wallet };
  return inTransaction(ctx, async (ctx) => {
    const { db, now } = ctx;
    const [slot] = await selectOpenSlots(db, { ...where, from: nonce, below: nonce + 1, limit: 1 });
    const isOurs = slot?.attempts.some((attempt) => attempt.hash === hash);
    if (foreign.from !== wallet || !slot || isOurs) throw payoutErrors.transactionNotForeign();
    const locked = await lockOpenSlots(db, { ...where, nonces: [slot.nonce] });
    if (!locked.has(slot.nonce)) throw payoutErrors.transactionNotForeign();
    const { tokenAddress: token, toAddress: to, amount } = slot;
    const isPaid = matchTransfer(receipt, { token, from: wallet, to, amount }).kind === 'exact';
    const isUnclear = isPaid ? !transfer : paysAnything(receipt, { token, from: wallet, to });
    const isOfAnother = transfer?.reference !== undefined && transfer.reference !== slot.withdrawalId;
    if (isUnclear) throw payoutErrors.transactionUnclear();
    if (isOfAnother && (await withdrawalExists(db, transfer.reference!)))
      throw payoutErrors.transactionUnclear();
    const outcome = isPaid ? 'paid' : 'failed';
    if (outcome === 'paid')
      await insertAttempts(db, { ...where, now }, [{ ...transfer!, nonce: slot.nonce }]);
    else await fail(ctx, where, slot, hash);
    await recordChange(ctx, {
      action: 'wallets.accept-foreign',
      subject: `withdrawal:${slot.withdrawalId}`,
      before: { status: 'processing' },
      after: { outcome, transactionHash: hash },
    });
    return { withdrawalId: slot.withdrawalId, outcome };
  });
}

async function readFinal({ node, finality }: EvmNetwork, hash: string) {
  const provider = node.pick();
  const [transaction, final, ...looks] = await Promise.all([
    readSentTransaction(provider, hash),
    readFinalBlock(provider, strictestRule(finality)),
    ...node.providers.map((each) => readReceipts(each, [hash])),
  ]);
  const [receipt, ...others] = looks.flat();
  if (receipt instanceof NodeError) throw receipt;
  if (!transaction || !receipt || !final || receipt.blockNumber > final.number) {
    throw payoutErrors.transactionNotFinal();
  }
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(receipt)))
    throw payoutErrors.nodesDiffer();
  const [blockHash] = await readBlockHashes(provider, [receipt.blockNumber]);
  if (blockHash !== receipt.blockHash) throw payoutErrors.transactionNotFinal();
  return { ...transaction, receipt };
}

async function fail(
  { db, now }: Ctx,
  where: { network: string; address: string },
  { userId, currency, amount, nonce, withdrawalId }: OpenSlot,
  minedHash: string,
): Promise<void> {
  await releaseHeld(db, [{ userId, network: where.network, currency, amount }]);
  const errorMessage = 'Its nonce was used by another transaction';
  await updateSettled(db, { ...where, now }, [
    { nonce, withdrawalId, minedHash, status: 'failed', transferStatus: 'replaced', errorMessage },
  ]);
}
