import { type Ctx, type PartnerAdmin, requesterOf } from '#context';
import { hashFacts } from '#platform/values/hash-facts';
import type { Asset } from './assets.ts';
import { describeDenial, isDenied } from './denial.ts';
import { withdrawalErrors } from './errors.ts';
import { type Created, createOnce } from './idempotency.ts';
import type { NewWithdrawal, Origin } from './queries/creations.ts';
import type { Former } from './queries/idempotency.ts';
import { payeeOf, type Recipient, resolveRecipient } from './resolve-recipient.ts';
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

/**
 * Stores a queued withdrawal and wakes the workers, committed on return. The recipient's address is fixed in
 * the row. A refused request stores nothing and does not use up its idempotency key.
 */
export function createWithdrawal(ctx: Ctx<PartnerAdmin>, request: WithdrawalRequest): Promise<Created> {
  const { idempotencyKey } = request;
  const fingerprint = fingerprintOf(request);
  const keyed = { idempotencyKey, fingerprint, payee: payeeOf(request) };
  return createOnce(ctx, keyed, async ({ former, owner }) => {
    await request.admit?.();
    const recipient = await resolveRecipient(ctx, { ...request, owner, isPaid: former?.bulkId === null });
    const id = paidIdOf(former, request, recipient);
    try {
      return await storeWithdrawal(ctx.db, {
        ...toNewWithdrawal(ctx, request, recipient),
        idempotencyKey: idempotencyKey ?? null,
        fingerprint: idempotencyKey === undefined ? null : fingerprint,
        ...(id && { id }),
      });
    } catch (error) {
      if (!isDenied(error)) throw error;
      const details = [{ field: 'rule', message: describeDenial(error) }];
      throw withdrawalErrors.deniedByRule({ details, cause: error });
    }
  });
}

export const toNewWithdrawal = (
  ctx: Ctx<PartnerAdmin>,
  { userId, asset, amount, externalId, origin }: Omit<WithdrawalRequest, 'idempotencyKey'>,
  { address, creditedUserId }: Recipient,
): Omit<NewWithdrawal, 'idempotencyKey' | 'fingerprint'> => ({
  partnerId: ctx.actor.partnerId,
  userId,
  keyId: requesterOf(ctx.actor),
  network: asset.network.name,
  currency: asset.token.symbol,
  tokenAddress: asset.token.address,
  decimals: asset.token.decimals,
  amount,
  toAddress: address,
  recipientUserId: creditedUserId,
  externalId: externalId ?? null,
  ...(origin && { origin }),
  now: ctx.now,
});

/**
 * The id of a withdrawal that was lost in a restore and whose payment is on chain. Created under it, it is
 * bound to that payment and not paid again.
 */
export function paidIdOf(
  former: Former | undefined,
  { asset, amount }: Pick<WithdrawalRequest, 'asset' | 'amount'>,
  { address }: Recipient,
): string | undefined {
  if (!former || former.bulkId !== null) return undefined;
  const isSame =
    former.network === asset.network.name &&
    former.tokenAddress === asset.token.address &&
    former.toAddress === address &&
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
