import { networks } from '#adapters/evm';
import { type Ctx, contextFor, type Deps } from '#context';
import { cancelWithdrawal } from '#features/withdrawals';
import { Refusal } from '#platform/errors/errors';
import { hourMs } from '#platform/values/duration';
import { selectOverdue } from './queries.ts';

/** A payment waits this long for its approvals. */
export const waitingMs = 72 * hourMs;

/** Fails payments that nobody decided about in time, so that their money is not held forever. */
export async function expireWaiting(deps: Deps): Promise<void> {
  const ctx = contextFor(deps, { kind: 'worker', job: 'approvals.expire-payments' } as const, deps.log);
  const before = new Date(ctx.now.getTime() - waitingMs);
  // Those of a network whose wallet is halted stay, and must not keep the others behind them.
  for (const network of networks)
    for (const withdrawalId of await selectOverdue(ctx.db, { network, before, limit: 100 }))
      await expire(ctx, withdrawalId);
}

async function expire(ctx: Ctx, withdrawalId: string): Promise<void> {
  try {
    await cancelWithdrawal(ctx, { withdrawalId, reason: 'not approved within 72 hours' });
  } catch (error) {
    // It was decided or signed meanwhile, or its wallet is halted.
    if (!(error instanceof Refusal)) throw error;
  }
}
