import type { Ctx, KeyActor } from '#context';
import { violates } from '#platform/db/db';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { hashFacts } from '#platform/values/hash-facts';
import type { Asset } from './assets.ts';
import { describeDenial, isDenied } from './denial.ts';
import { withdrawalErrors } from './errors.ts';
import { type Former, type Origin, selectByIdempotencyKey } from './queries.ts';
import { resolveRecipient } from './resolve-recipient.ts';
import { storeWithdrawal } from './store-withdrawal.ts';

export interface WithdrawalRequest {
  userId: string;
  asset: Asset;
  amount: bigint;
  to: string;
  externalId: string | undefined;
  idempotencyKey: string | undefined;
  origin?: Origin;
  /** Called before a new withdrawal is checked and stored, and not for a replay; may refuse. */
  admit?(): Promise<void>;
}

export interface CreatedWithdrawal {
  bulkId: string;
  isReplay: boolean;
}

/**
 * Stores a queued withdrawal and wakes the workers, committed on return. The recipient's address is fixed in
 * the row. A refused request stores nothing and does not use up its idempotency key.
 */
export async function createWithdrawal(
  ctx: Ctx<KeyActor>,
  request: WithdrawalRequest,
): Promise<CreatedWithdrawal> {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined) return storeOrReplay(ctx, request);
  const name = `${ctx.actor.partnerId} ${idempotencyKey}`;
  await inFlight.get(name)?.catch(() => undefined);
  const own = storeOrReplay(ctx, request);
  inFlight.set(name, own);
  try {
    return await own;
  } finally {
    if (inFlight.get(name) === own) inFlight.delete(name);
  }
}

/**
 * Requests of this process by idempotency key. A repeated request waits here, so that it does not wait for
 * the database lock with a connection that others need; between processes the database decides.
 */
const inFlight = new Map<string, Promise<CreatedWithdrawal>>();

async function storeOrReplay(ctx: Ctx<KeyActor>, request: WithdrawalRequest): Promise<CreatedWithdrawal> {
  const former = await findFormer(ctx, request);
  const replay = replayOf(former, request);
  if (replay) return replay;
  await request.admit?.();
  const { address, creditedUserId } = await resolveRecipient(ctx, {
    ...request,
    isPaid: former?.bulkId === null,
  });
  const { asset, amount, userId, externalId, idempotencyKey, origin } = request;
  const id = former && paidIdOf(former, request, address);
  try {
    const bulkId = await storeWithdrawal(ctx.db, {
      partnerId: ctx.actor.partnerId,
      userId,
      keyId: ctx.actor.keyId,
      network: asset.network.name,
      currency: asset.token.symbol,
      tokenAddress: asset.token.address,
      decimals: asset.token.decimals,
      amount,
      toAddress: address,
      recipientUserId: creditedUserId,
      externalId: externalId ?? null,
      idempotencyKey: idempotencyKey ?? null,
      fingerprint: idempotencyKey === undefined ? null : fingerprintOf(request),
      ...(id && { id }),
      ...(origin && { origin }),
      now: ctx.now,
    });
    return { bulkId, isReplay: false };
  } catch (error) {
    if (isDenied(error)) {
      const details = [{ field: 'rule', message: describeDenial(error) }];
      throw withdrawalErrors.deniedByRule({ details, cause: error });
    }
    if (idempotencyKey === undefined) throw error;
    if (violates(error, 'withdrawals_idempotency_key')) {
      const winner = replayOf(await findFormer(ctx, request), request);
      if (winner) return winner;
    }
    // The request that has the key did not commit within our lock timeout.
    if (error instanceof DatabaseUnavailable && !error.isConnectionLost) {
      throw withdrawalErrors.requestInFlight({ headers: { 'retry-after': '1' }, cause: error });
    }
    throw error;
  }
}

async function findFormer(ctx: Ctx<KeyActor>, { idempotencyKey }: WithdrawalRequest) {
  if (idempotencyKey === undefined) return undefined;
  return selectByIdempotencyKey(ctx.db, ctx.actor.partnerId, idempotencyKey);
}

function replayOf(former: Former | undefined, request: WithdrawalRequest): CreatedWithdrawal | undefined {
  if (!former || former.bulkId === null) return undefined;
  if (!former.fingerprint.equals(fingerprintOf(request))) throw withdrawalErrors.idempotencyKeyReused();
  return { bulkId: former.bulkId, isReplay: true };
}

/**
 * The withdrawal was lost in a restore and its payment is on chain. Created under its old id, it is bound to
 * that payment and not paid again.
 */
function paidIdOf(former: Former, { asset, amount }: WithdrawalRequest, toAddress: string) {
  if (former.bulkId !== null) return undefined;
  const isSame =
    former.network === asset.network.name &&
    former.tokenAddress === asset.token.address &&
    former.toAddress === toAddress &&
    former.amount === amount;
  if (!isSame) throw withdrawalErrors.idempotencyKeyReused();
  return former.withdrawalId;
}

interface RequestFacts extends Pick<WithdrawalRequest, 'userId' | 'amount' | 'to' | 'externalId'> {
  asset: Pick<Asset, 'network' | 'token'>;
}

/** Two requests are the same if they ask for the same, with defaults filled in, however it was spelled. */
export function fingerprintOf({ userId, asset, amount, to, externalId }: RequestFacts): Buffer {
  const recipient = to.toLowerCase();
  const facts = [
    userId,
    asset.network.name,
    asset.token.symbol,
    String(amount),
    recipient,
    externalId ?? null,
  ];
  return hashFacts(facts);
}
