import { inTransaction } from '../context.ts';
import { type Hold, holdFunds, lockAccounts } from '../ledger/index.ts';
import type { Lane, WorkerCtx } from './lane.ts';
import {
  lockQueued,
  type QueuedRow,
  selectSigner,
  updateFailedBeforeSigning,
  updatePending,
} from './queries.ts';
import { turnMax } from './timing.ts';

/**
 * queued → pending, with the amount held, in the order of arrival; or failed, where the balance does not reach. The accounts
 * are locked before they are read, so two workers never hold the same funds.
 */
export async function holdQueued(ctx: WorkerCtx, lane: Lane): Promise<number> {
  const network = lane.network.name;
  // What a restored database has as queued may be paid already, and failing it for want of funds would hide that.
  const signer = await selectSigner(ctx.db, network, lane.signer.address);
  if (signer?.haltedAt) return 0;
  return inTransaction(ctx, async ({ db, now }) => {
    const queued = await lockQueued(db, network, turnMax);
    if (queued.length === 0) return 0;
    const accounts = await lockAccounts(
      db,
      queued.map(({ userId, currency }) => ({ userId, network, currency })),
    );
    const { holds, held, short } = shareOut(queued, accounts);
    await holdFunds(db, holds);
    if (held.length > 0) await updatePending(db, held, now);
    if (short.length > 0) {
      await updateFailedBeforeSigning(
        db,
        short.map((id) => ({ id, errorMessage: 'Insufficient balance' })),
        now,
      );
    }
    await lane.atStep('hold');
    return queued.length;
  });
}

type Account = { accountId: bigint; available: bigint } | undefined;

function shareOut(queued: readonly QueuedRow[], accounts: readonly Account[]) {
  const available = new Map(
    accounts.flatMap((account) => (account ? [[account.accountId, account.available]] : [])),
  );
  const holds: Hold[] = [];
  const held: string[] = [];
  const short: string[] = [];
  queued.forEach(({ id, amount }, at) => {
    const accountId = accounts[at]?.accountId;
    const left = accountId === undefined ? 0n : available.get(accountId)!;
    if (accountId === undefined || left < amount) {
      short.push(id);
      return;
    }
    available.set(accountId, left - amount);
    holds.push({ accountId, amount });
    held.push(id);
  });
  return { holds, held, short };
}
