import type { Ctx, WorkerActor } from '#context';
import { isHotWallet } from '#features/payouts';
import { lockAddress, selectRecipient } from '#features/users';
import type { Asset } from './assets.ts';
import { fingerprintOf } from './create-withdrawal.ts';
import { describeDenial, isDenied, RuleDenial } from './denial.ts';
import { isUnrecoverableAddress } from './is-unrecoverable-address.ts';
import { insertWithdrawal } from './queries/creations.ts';

/** A payment from a user's balance that the service makes by the user's rule. */
export interface OwnWithdrawal {
  userId: string;
  asset: Pick<Asset, 'network' | 'token'>;
  amount: bigint;
  /** In lower case. */
  toAddress: string;
  externalId: string;
  /** Unique: the database refuses a second one. */
  idempotencyKey: string;
  /** Description for the user's ledger. */
  description: string;
}

/** The partner under whose name they are listed; migration 0007 creates it, and it never gets a key. */
export const houseId = '00000000-0000-7000-8000-000000000001';

/**
 * Stores a queued withdrawal as a part of the caller's transaction and returns its bulk id, or says why the
 * address must not be paid and stores nothing. Throws a `RuleDenial` if the rules deny it: the caller's
 * transaction cannot go on.
 */
export async function queueOwnWithdrawal(
  ctx: Ctx<WorkerActor>,
  withdrawal: OwnWithdrawal,
): Promise<{ bulkId: string } | { refusal: string }> {
  // Nobody waits for an answer, and no node is asked in a transaction: whether the token's issuer and the
  // screening allow it is checked once, just before it is signed.
  const { db, now, actor } = ctx;
  const { userId, asset, amount, toAddress, externalId, idempotencyKey, description } = withdrawal;
  const { network, token } = asset;
  const refusal = await refusalOf(ctx, withdrawal);
  if (refusal) return { refusal };
  const stored = insertWithdrawal(db, {
    partnerId: houseId,
    userId,
    keyId: actor.job,
    network: network.name,
    currency: token.symbol,
    tokenAddress: token.address,
    decimals: token.decimals,
    amount,
    toAddress,
    recipientUserId: null,
    externalId,
    idempotencyKey,
    description,
    now,
    fingerprint: fingerprintOf({ ...withdrawal, to: toAddress }),
  });
  try {
    return { bulkId: await stored };
  } catch (error) {
    throw isDenied(error) ? new RuleDenial(describeDenial(error), { cause: error }) : error;
  }
}

async function refusalOf(ctx: Ctx, { asset, toAddress }: OwnWithdrawal): Promise<string | undefined> {
  const { network } = asset;
  if (isUnrecoverableAddress(network, toAddress) || (await isHotWallet(ctx, network, toAddress))) {
    return 'The address cannot be paid';
  }
  // The recipient credits it outside our ledger; a user's ledger would be credited with the same money.
  await lockAddress(ctx.db, toAddress);
  const recipient = await selectRecipient(ctx.db, network.name, { address: toAddress });
  if (recipient && recipient.userId !== null) return 'The address is the wallet of a user';
  return recipient?.isBlocked ? 'The receiver is not eligible' : undefined;
}
