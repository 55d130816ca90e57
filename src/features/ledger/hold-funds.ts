import type { Db } from '#platform/db/db';
import { addHolds, type Hold, lockAccounts, type Owner, subtractHolds } from './queries/accounts.ts';

/**
 * Holds funds: they stay in the balance and cannot be spent again. Call `lockAccounts` first, and hold no
 * more than is available: more throws, and the transaction must not be committed.
 */
export function holdFunds(db: Db, holds: readonly Hold[]): Promise<void> {
  return changeHolds(db, holds, addHolds, 'less available than is to be held');
}

/** Gives back what was set aside and nothing came of; what is spent, posting takes itself. */
export function releaseFunds(db: Db, holds: readonly Hold[]): Promise<void> {
  return changeHolds(db, holds, subtractHolds, 'less held than is to be released');
}

/**
 * Releases holds by owner, for callers that have not locked the accounts yet.
 * @example
 * await releaseHeld(db, [{ userId, network, currency, amount }]);
 */
export async function releaseHeld(db: Db, held: readonly (Owner & { amount: bigint })[]): Promise<void> {
  const accounts = await lockAccounts(db, held);
  const holds = held.map(({ userId, amount }, at) => {
    const account = accounts[at];
    if (!account) throw new Error(`user ${userId} has no account to release a hold on`);
    return { accountId: account.accountId, amount };
  });
  await releaseFunds(db, holds);
}

async function changeHolds(
  db: Db,
  holds: readonly Hold[],
  change: (db: Db, holds: readonly Hold[]) => Promise<bigint[]>,
  fault: string,
): Promise<void> {
  if (holds.length === 0) return;
  // Below zero, a hold would be a release that nobody guards.
  if (holds.some(({ amount }) => amount <= 0n)) throw new Error('a hold must be above zero');
  const changed = new Set(await change(db, holds));
  const left = new Set(holds.map(({ accountId }) => accountId).filter((id) => !changed.has(id)));
  if (left.size > 0) throw new Error(`ledger accounts ${[...left].join(', ')}: none, or ${fault}`);
}
