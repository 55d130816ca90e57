import type { Ctx, WorkerActor } from '../context.ts';
import { selectRecipient } from '../users/index.ts';
import type { Asset } from './assets.ts';
import { fingerprintOf } from './create-withdrawal.ts';
import { insertWithdrawal } from './queries.ts';

/** A payment out of a user's balance that the service makes by a rule of the user's. */
export interface OwnWithdrawal {
  userId: string;
  asset: Pick<Asset, 'network' | 'token'>;
  amount: bigint;
  /** In lower case. */
  toAddress: string;
  externalId: string;
  /** One of a kind: a second one under it is refused by the database. */
  idempotencyKey: string;
  /** What the user's ledger says of it. */
  description: string;
}

/** The partner under whose name they are listed; migration 0007 makes it, and no key is ever issued for it. */
const houseId = '00000000-0000-7000-8000-000000000001';

/**
 * Stores a queued withdrawal as a part of the caller's transaction, and says its bulk id. Nobody is waiting for an answer, so
 * whether the address may be paid is asked once, just before it is signed: no node is asked in a transaction.
 */
export async function queueOwnWithdrawal(
  { db, now, actor }: Ctx<WorkerActor>,
  withdrawal: OwnWithdrawal,
): Promise<string> {
  const { userId, asset, amount, toAddress, externalId, idempotencyKey, description } = withdrawal;
  const { network, token } = asset;
  const recipient = await selectRecipient(db, network.name, { address: toAddress });
  return insertWithdrawal(db, {
    ...{ partnerId: houseId, userId, keyId: actor.job, network: network.name, currency: token.symbol },
    ...{ tokenAddress: token.address, decimals: token.decimals, amount, toAddress },
    ...{ recipientUserId: recipient?.userId ?? null, externalId, idempotencyKey, description, now },
    fingerprint: fingerprintOf({ ...withdrawal, to: toAddress }),
  });
}
