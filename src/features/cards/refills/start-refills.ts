import type { Network } from '#adapters/evm';
import { type Ctx, inTransaction, type WorkerActor } from '#context';
import { isUserSuspended } from '#features/users';
import { queueOwnWithdrawal, RuleDenial } from '#features/withdrawals';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { isBehind } from './is-behind.ts';
import {
  type DueRefill,
  lockDue,
  selectDue,
  updateFailed,
  updatePostponed,
  updateStarted,
} from './queries/refills.ts';
import { type AtRefillStep, never } from './steps.ts';
import { restMs, suspendedMs, turnMax } from './timing.ts';

/**
 * Moves refills from queued to processing and creates their withdrawals, in one transaction each; a refill
 * that cannot be paid fails. Several workers may do this at the same time. A refill that waited may no longer
 * be needed, so this runs only while our collateral figures equal the issuer's. Throws an `IssuerFault` if
 * the issuer does not answer.
 */
export async function startRefills(
  ctx: Ctx<WorkerActor>,
  { limit = turnMax, atStep = never }: { limit?: number; atStep?: AtRefillStep } = {},
): Promise<number> {
  const due = await selectDue(ctx.db, ctx.now, limit);
  if (due.length === 0 || (await isBehind(ctx))) return 0;
  let started = 0;
  for (const refillId of due) {
    try {
      // One whose user's rows somebody keeps locked runs into the lock timeout and does not hold the others
      // up.
      if (await startOne(ctx, refillId, atStep)) started += 1;
    } catch (error) {
      if (error instanceof RuleDenial) {
        if (await failDenied(ctx, refillId, error.message)) started += 1;
        continue;
      }
      if (error instanceof DatabaseUnavailable && error.isConnectionLost) throw error;
      ctx.log.error({ err: error, refillId }, 'a refill could not be started; retrying');
    }
    await atStep('started');
  }
  return started;
}

/**
 * One transaction each: what a withdrawal locks is the user's, and who had two users' could wait for somebody
 * who has the other.
 */
function startOne(ctx: Ctx<WorkerActor>, refillId: string, atStep: AtRefillStep): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    const refill = await lockDue(ctx.db, refillId, ctx.now);
    if (!refill) return false;
    const asset = findAsset(ctx, refill);
    const refusal = refusalOf(refill, asset !== undefined);
    if (refusal) return fail(ctx, refillId, refusal);
    const { network, token } = asset!;
    const { userId, retries, collateralAddress: toAddress } = refill;
    if (await isUserSuspended(ctx.db, userId)) return postpone(ctx, refillId);
    const queued = await queueOwnWithdrawal(ctx, {
      userId,
      asset: asset!,
      toAddress,
      externalId: refillId,
      // A dollar is a unit, and a unit has more digits than a dollar.
      amount: refill.amount * 10n ** BigInt(token.decimals - 2),
      idempotencyKey: `refill:${refillId}:${retries}`,
      description: `Card refill of ${token.symbol} on ${network.name}`,
    });
    if ('refusal' in queued) {
      ctx.log.error({ refillId, error: queued.refusal }, 'card collateral cannot be paid');
      return fail(ctx, refillId, { error: queued.refusal, restMs });
    }
    await atStep('queued');
    await updateStarted(ctx.db, { refillId, bulkId: queued.bulkId, now: ctx.now });
    await atStep('starting');
    return true;
  });
}

/** A queued payment would wait and be made on resume, even if it is no longer needed then. */
async function postpone(ctx: Ctx, refillId: string): Promise<false> {
  const dueAt = new Date(ctx.now.getTime() + suspendedMs);
  await updatePostponed(ctx.db, { refillId, error: 'The user is suspended', dueAt, now: ctx.now });
  return false;
}

/** In a transaction after the one that the denial ended. */
function failDenied(ctx: Ctx<WorkerActor>, refillId: string, error: string): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    if (!(await lockDue(ctx.db, refillId, ctx.now))) return false;
    return fail(ctx, refillId, { error, restMs });
  });
}

function fail(ctx: Ctx, refillId: string, { error, restMs }: { error: string; restMs: number }) {
  const dueAt = new Date(ctx.now.getTime() + restMs);
  return updateFailed(ctx.db, { refillId, error, dueAt, now: ctx.now });
}

function findAsset({ evm }: Ctx, refill: DueRefill) {
  const network = evm.get(refill.network as Network);
  const token = network?.tokens.get(refill.currency);
  return network && token && { network, token };
}

/** Reasons not to pay, which may have come up while it waited. */
function refusalOf(refill: DueRefill, isPaidHere: boolean) {
  const { isEnabled, isShort, isOutdated, network, currency } = refill;
  if (!isEnabled) return { error: 'Auto-refill is switched off', restMs: 0 };
  if (!isShort) return { error: 'The collateral is no longer under the threshold', restMs: 0 };
  if (isOutdated) return { error: 'Auto-refill was changed', restMs: 0 };
  if (!isPaidHere) return { error: `${currency} on ${network} is not paid here`, restMs };
  return undefined;
}
