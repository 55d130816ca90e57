import { contextFor, type Deps } from '#context';
import { cancelWithdrawal } from '#features/withdrawals';
import { Refusal } from '#platform/errors/errors';
import { selectOverdue } from './queries.ts';

/** A payment waits this long for its approvals. */
export const waitingMs = 72 * 3_600_000;

/** Fails payments that nobody decided about in time, so that their money is not held forever. */
export async function expireWaiting(deps: Deps): Promise<void> {
  const ctx = contextFor(deps, { kind: 'worker', job: 'approvals.expire-payments' } as const, deps.log);
  const before = new Date(ctx.now.getTime() - waitingMs);
  for (const withdrawalId of await selectOverdue(ctx.db, before, 100)) {
    try {
      await cancelWithdrawal(ctx, { withdrawalId, reason: 'not approved within 72 hours' });
    } catch (error) {
      // It was decided or signed meanwhile, or its wallet is halted.
      if (!(error instanceof Refusal)) throw error;
    }
  }
}
