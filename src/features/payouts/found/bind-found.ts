import { checksumAddress } from '#adapters/evm';
import type { Ctx } from '#context';
import { holdFunds, lockAccounts } from '#features/ledger';
import { formatMinor } from '#platform/values/money';
import { payoutErrors } from '../errors.ts';
import { insertAttempts, updateProcessing } from '../queries/attempts.ts';
import { updatePending } from '../queries/pending.ts';
import { type BindableRow, insertBoundSlots, lockBindable } from './queries.ts';

/**
 * Binds payments found on chain to their withdrawals that are here and not signed: holds the funds, and
 * stores nonce and bytes as if signed here. Settling does the rest. Part of the caller's transaction; returns
 * the bound withdrawals.
 */
export async function bindFound(ctx: Ctx, network: string, hash?: string): Promise<string[]> {
  const { db, now } = ctx;
  const rows = onePerWithdrawal(await lockBindable(db, network, { limit: bindMax, ...(hash && { hash }) }));
  if (rows.length === 0) return [];
  await holdForQueued(ctx, network, rows);
  await insertBoundSlots(db, { network, now }, rows);
  for (const address of new Set(rows.map((row) => row.address))) {
    const ofWallet = rows.filter((row) => row.address === address);
    await insertAttempts(db, { network, address, now, isSent: true }, ofWallet);
  }
  const ids = rows.map(({ withdrawalId }) => withdrawalId);
  await updateProcessing(db, ids, now);
  return ids;
}

const bindMax = 1_000;

/** A second payment of one withdrawal stays unknown, because an operator must account for it. */
const onePerWithdrawal = (rows: readonly BindableRow[]) =>
  rows.filter((row, at) => rows.findIndex(({ withdrawalId }) => withdrawalId === row.withdrawalId) === at);

/** The hold is in the lost commits, so hold the amount again. */
async function holdForQueued({ db, now }: Ctx, network: string, rows: readonly BindableRow[]): Promise<void> {
  const queued = rows.filter(({ status }) => status === 'queued');
  if (queued.length === 0) return;
  const accounts = await lockAccounts(
    db,
    queued.map(({ userId, currency }) => ({ userId, network, currency })),
  );
  const available = new Map(accounts.flatMap((one) => (one ? [[one.accountId, one.available]] : [])));
  const holds = queued.map((row, at) => {
    const account = accounts[at];
    const left = (account ? available.get(account.accountId)! : 0n) - row.amount;
    if (!account || left < 0n) throw fundsMissing(network, row);
    available.set(account.accountId, left);
    return { accountId: account.accountId, amount: row.amount };
  });
  await holdFunds(db, holds);
  await updatePending(
    db,
    queued.map(({ withdrawalId }) => withdrawalId),
    now,
  );
}

const fundsMissing = (network: string, { userId, currency, amount, decimals, hash, address }: BindableRow) =>
  payoutErrors.fundsMissing({
    message:
      `User ${userId} has less than ${formatMinor(amount, decimals)} ${currency} on ${network}, which ${checksumAddress(address)} ` +
      `paid by ${hash}: credit what is missing with ledger.fund first`,
  });
