import type { Ctx } from '../../context.ts';
import { holdFunds, lockAccounts } from '../../ledger/index.ts';
import { payoutErrors } from '../errors.ts';
import { insertAttempts, updatePending, updateProcessing } from '../queries.ts';
import { type BindableRow, insertBoundSlots, lockBindable } from './queries.ts';

/**
 * Binds payments that were found on chain to their withdrawals, as far as these are here and not signed: the funds are held, and
 * nonce and bytes stored as if they had been signed here. Settling does the rest. Part of the caller's transaction; says which.
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

/** A second payment of one withdrawal stays unknown: an operator must account for it. */
const onePerWithdrawal = (rows: readonly BindableRow[]) =>
  rows.filter((row, at) => rows.findIndex(({ withdrawalId }) => withdrawalId === row.withdrawalId) === at);

/** What is paid was held once: the hold is in the part that was lost. */
async function holdForQueued({ db, now }: Ctx, network: string, rows: readonly BindableRow[]): Promise<void> {
  const queued = rows.filter(({ status }) => status === 'queued');
  if (queued.length === 0) return;
  const accounts = await lockAccounts(
    db,
    queued.map(({ userId, currency }) => ({ userId, network, currency })),
  );
  if (accounts.some((account) => account === undefined)) throw payoutErrors.fundsMissing();
  await holdFunds(
    db,
    queued.map(({ amount }, at) => ({ accountId: accounts[at]!.accountId, amount })),
  ).catch((cause) => {
    throw payoutErrors.fundsMissing({ cause });
  });
  await updatePending(
    db,
    queued.map(({ withdrawalId }) => withdrawalId),
    now,
  );
}
