import { IssuerFault } from '#adapters/issuer';
import type { Ctx, WorkerActor } from '#context';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { formatMinor } from '#platform/values/money';
import {
  type Attempt,
  type PaidRefill,
  selectPaid,
  updateCompleted,
  updateFailed,
  updateRetry,
  updateUntold,
} from './queries/refills.ts';
import { type AtRefillStep, never } from './steps.ts';
import { awayMs, backOffAfter, creditMs, refusedMs, restMs, turnMax } from './timing.ts';

/**
 * processing → completed when the payment is final and announced to the issuer; processing → queued or failed
 * when the payment failed. The announcement is made outside a transaction and repeated until the issuer
 * accepts it; the issuer credits a transfer once. Whatever the issuer answers, a paid refill is never paid
 * again.
 */
export async function followRefills(
  ctx: Ctx<WorkerActor>,
  { limit = turnMax, atStep = never }: { limit?: number; atStep?: AtRefillStep } = {},
): Promise<number> {
  let moved = 0;
  let isAway = false;
  for (const refill of await selectPaid(ctx.db, ctx.now, limit)) {
    const { id: refillId, errorMessage } = refill;
    try {
      // After one unanswered announcement, do not wait for the issuer again in this turn.
      if (errorMessage === null && isAway) continue;
      const outcome = await (errorMessage === null
        ? complete(ctx, refill, atStep)
        : retry(ctx, refill, errorMessage));
      if (outcome === 'away') isAway = true;
      else if (outcome) moved += 1;
    } catch (error) {
      if (error instanceof DatabaseUnavailable && error.isConnectionLost) throw error;
      ctx.log.error({ err: error, refillId }, 'a refill could not be updated; retrying');
    }
  }
  return moved;
}

async function complete(ctx: Ctx, refill: PaidRefill, atStep: AtRefillStep): Promise<boolean | 'away'> {
  const { id: refillId, withdrawalId, cardIssuerUserId, network, currency, paid, decimals } = refill;
  const attempt = { refillId, withdrawalId, now: ctx.now };
  // A completed withdrawal has a posting with its place on chain, so none of these is null.
  const [transactionHash, logIndex, executedAt] = [
    refill.transactionHash!,
    refill.logIndex!,
    refill.executedAt!,
  ];
  const deposit = { cardIssuerUserId, network, currency, amount: formatMinor(paid, decimals) };
  await atStep('announcing');
  try {
    await ctx.issuer.announceDeposit({ ...deposit, transactionHash, logIndex });
  } catch (error) {
    if (!(error instanceof IssuerFault)) throw error;
    return noteUntold(ctx, attempt, error);
  }
  await atStep('announced');
  const dueAt = after(ctx, creditMs);
  const isFirst = await updateCompleted(ctx.db, { ...attempt, transactionHash, logIndex, executedAt, dueAt });
  await atStep('completed');
  return isFirst;
}

async function noteUntold(ctx: Ctx, attempt: Attempt, fault: IssuerFault): Promise<false | 'away'> {
  const isAway = fault.reason === 'unavailable';
  const error = isAway
    ? 'Paid; the card issuer does not answer'
    : `Paid; the card issuer says: ${fault.message}`;
  ctx.log[isAway ? 'warn' : 'error'](
    { err: fault, refillId: attempt.refillId },
    'the card issuer does not take a payment that was made; telling it again',
  );
  await updateUntold(ctx.db, { ...attempt, error, dueAt: after(ctx, isAway ? awayMs : refusedMs) });
  return isAway ? 'away' : false;
}

function retry(ctx: Ctx, refill: PaidRefill, error: string): Promise<boolean> {
  const attempt = { refillId: refill.id, withdrawalId: refill.withdrawalId, now: ctx.now, error };
  const backOff = backOffAfter(refill.retries);
  // A payment that a person canceled is not retried at once, so that there is time to switch off the rule.
  if (backOff === undefined || error.startsWith('Canceled: ')) {
    ctx.log.warn({ refillId: refill.id, error }, 'a refill of card collateral has failed');
    return updateFailed(ctx.db, { ...attempt, dueAt: after(ctx, restMs) });
  }
  return updateRetry(ctx.db, { ...attempt, dueAt: after(ctx, backOff) });
}

const after = ({ now }: Ctx, ms: number) => new Date(now.getTime() + ms);
