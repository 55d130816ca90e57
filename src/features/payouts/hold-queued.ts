import { inTransaction } from '#context';
import { type Hold, holdFunds, lockAccounts, lockFreeAccounts } from '#features/ledger';
import { haltDoubted, isOfOther } from './check-lane.ts';
import type { Lane, WorkerCtx } from './lane.ts';
import { lockQueued, type QueuedRow, updateFailedBeforeSigning, updatePending } from './queries/pending.ts';
import { selectSigner } from './queries/signers.ts';
import { isInDoubt } from './server.ts';
import { turnMax } from './timing.ts';

/**
 * queued → pending with the amount held, in order of arrival; or failed if the balance is too small. Accounts
 * are locked before they are read, so two workers never hold the same funds. Withdrawals of an account that
 * another session has locked stay queued and do not block those behind them.
 */
export async function holdQueued(ctx: WorkerCtx, lane: Lane): Promise<number> {
  const network = lane.network.name;
  // A queued withdrawal of a restored database may be paid already; failing it for lack of funds would hide
  // that.
  const signer = await selectSigner(ctx.db, network, lane.signer.address);
  if (signer && isOfOther(ctx, lane, signer)) return 0;
  if (signer?.haltedAt || (await haltDoubted(ctx, lane))) return 0;
  const busy: QueuedRow[] = [];
  let done = 0;
  for (let batches = 0; batches < batchesMax; batches++) {
    const batch = await holdBatch(ctx, lane, busy);
    done += batch.done;
    if (batch.busy.length === 0) break;
    busy.push(...batch.busy);
  }
  return done;
}

/** Each batch finds at least one more locked account, or is the last. */
const batchesMax = 20;

function holdBatch(ctx: WorkerCtx, lane: Lane, without: readonly QueuedRow[]) {
  const network = lane.network.name;
  return inTransaction(ctx, async (ctx) => {
    const { db, now } = ctx;
    if (await isInDoubt(ctx, network, lane)) return { done: 0, busy: [] };
    const rows = await lockQueued(db, { network, without, limit: turnMax });
    const ownersOf = (some: readonly QueuedRow[]) =>
      some.map(({ userId, currency }) => ({ userId, network, currency }));
    const isFree = await lockFreeAccounts(db, ownersOf(rows));
    const queued = rows.filter((_, at) => isFree[at]);
    const busy = rows.filter((_, at) => !isFree[at]);
    if (queued.length === 0) return { done: 0, busy };
    const accounts = await lockAccounts(db, ownersOf(queued));
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
    return { done: queued.length, busy };
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
