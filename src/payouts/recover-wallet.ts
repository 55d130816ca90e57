import { recordChange } from '../audit/index.ts';
import { type Ctx, inTransaction } from '../context.ts';
import {
  type EvmNetwork,
  parseAddress,
  readFinalBlock,
  readSentTransfers,
  readTransactionCount,
  type SentTransfer,
  strictestRule,
} from '../evm/index.ts';
import { holdFunds, lockAccounts } from '../ledger/index.ts';
import { askNode } from './ask-node.ts';
import { payoutErrors } from './errors.ts';
import {
  insertSigned,
  lockPaid,
  lockSigner,
  type PaidRow,
  selectSigner,
  updatePending,
  updateResumed,
} from './queries.ts';

export interface WalletToRecover {
  network: string;
  address: string;
  /** Of the time of the backup, or before. */
  fromBlock: number;
  /** Nonces that the operator has seen to have paid nobody, such as of reverted transactions, which leave no transfer to find. */
  unpaidNonces?: number[];
}

export interface RecoveredWallet {
  nextNonce: number;
  /** Withdrawals whose lost payment was found on chain; they go on from there. */
  recovered: string[];
  /** Transactions for withdrawals that this database does not have, or that are not ours: a person must account for them. */
  unknown: { hash: string; withdrawalId: string | null }[];
}

/**
 * After a restore from an older backup: finds what the wallet has paid since on chain, by the withdrawal's id that each transfer
 * carries, stores the nonces and bytes that were lost, and lets the wallet pay again. Settling does the rest. Only when the
 * wallet has nothing on its way: what is not in a final block yet could not be found.
 */
export async function recoverWallet(
  ctx: Ctx,
  { network: name, address, fromBlock, unpaidNonces = [] }: WalletToRecover,
): Promise<RecoveredWallet> {
  const wallet = parseAddress(address);
  if (!wallet || !(await selectSigner(ctx.db, name, wallet))) throw payoutErrors.walletNotFound();
  const { used, transfers } = await askNode(ctx, name, (network) => readChain(network, wallet, fromBlock));
  return inTransaction(ctx, async (ctx) => {
    const signer = (await lockSigner(ctx.db, name, wallet))!;
    if (signer.haltedAt === null) throw payoutErrors.walletNotHalted();
    const lost = transfers.filter(({ nonce }) => BigInt(nonce) >= signer.nextNonce);
    // One payment that is not found would be made again.
    const accounted = new Set([...lost.map(({ nonce }) => nonce), ...unpaidNonces]);
    const missing = range(Number(signer.nextNonce), used).filter((nonce) => !accounted.has(nonce));
    if (missing.length > 0) {
      const named = `${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''}`;
      throw payoutErrors.noncesNotFound({
        message: `No payment was found for the nonces ${named}: begin at an earlier block, or name those that paid nobody`,
      });
    }
    const rows = await lockPaid(
      ctx.db,
      lost.flatMap(({ reference }) => reference ?? []),
    );
    const matched = lost.flatMap((transfer) => {
      const row = rows.find((row) => isOf(row, name, transfer));
      return row ? [{ transfer, row }] : [];
    });
    await holdForQueued(
      ctx,
      name,
      matched.map(({ row }) => row),
    );
    const where = { network: name, address: wallet, now: ctx.now };
    const signed = matched.map(({ transfer, row }) => ({
      ...transfer,
      withdrawalId: row.id,
      nonce: BigInt(transfer.nonce),
    }));
    if (signed.length > 0) await insertSigned(ctx.db, where, signed);
    await updateResumed(ctx.db, { network: name, address: wallet, nextNonce: BigInt(used) });
    const outcome = {
      nextNonce: used,
      recovered: matched.map(({ row }) => row.id),
      unknown: lost
        .filter((transfer) => !matched.some((match) => match.transfer === transfer))
        .map(({ hash, reference }) => ({ hash, withdrawalId: reference ?? null })),
    };
    await recordChange(ctx, {
      action: 'wallets.recover',
      subject: `wallet:${name}:${wallet}`,
      before: { nextNonce: Number(signer.nextNonce), haltedReason: signer.haltedReason },
      after: { nextNonce: used, recovered: outcome.recovered.length, unknown: outcome.unknown.length },
    });
    return outcome;
  });
}

const range = (from: number, below: number) =>
  Array.from({ length: Math.max(below - from, 0) }, (_, at) => from + at);

async function readChain({ node, finality, tokens }: EvmNetwork, wallet: string, fromBlock: number) {
  const provider = node.pick();
  const final = await readFinalBlock(provider, strictestRule(finality));
  if (!final) throw payoutErrors.nodeAway();
  const used = await readTransactionCount(provider, wallet, final.number);
  for (const each of node.providers) {
    if ((await readTransactionCount(each, wallet, 'pending')) !== used) throw payoutErrors.walletBusy();
  }
  const addresses = [...tokens.values()].map(({ address }) => address);
  const blocks = { fromBlock, toBlock: final.number };
  const transfers = await readSentTransfers(provider, { from: wallet, tokens: addresses, ...blocks });
  return { used, transfers: transfers.sort((a, b) => a.nonce - b.nonce) };
}

function isOf(row: PaidRow, network: string, { reference, token, to, amount }: SentTransfer): boolean {
  return (
    row.id === reference &&
    row.network === network &&
    row.tokenAddress === token &&
    row.toAddress === to &&
    row.amount === amount
  );
}

/** What is paid was held once: the hold is in the part that was lost. */
async function holdForQueued(ctx: Ctx, network: string, rows: readonly PaidRow[]): Promise<void> {
  const queued = rows.filter(({ status }) => status === 'queued');
  if (queued.length === 0) return;
  const accounts = await lockAccounts(
    ctx.db,
    queued.map(({ userId, currency }) => ({ userId, network, currency })),
  );
  if (accounts.some((account) => account === undefined)) throw payoutErrors.fundsMissing();
  await holdFunds(
    ctx.db,
    queued.map(({ amount }, at) => ({ accountId: accounts[at]!.accountId, amount })),
  ).catch((cause) => {
    throw payoutErrors.fundsMissing({ cause });
  });
  await updatePending(
    ctx.db,
    queued.map(({ id }) => id),
    ctx.now,
  );
}
