import { parseAddress } from '#adapters/evm';
import type { Ctx } from '#context';
import { isHotWallet, isRefused } from '#features/payouts';
import { normalizeEmail, type RecipientRow, selectRecipient } from '#features/users';
import { uuidForm } from '#platform/http/schemas';
import type { Asset } from './assets.ts';
import { withdrawalErrors } from './errors.ts';
import { isUnrecoverableAddress } from './is-unrecoverable-address.ts';
import type { Payee } from './queries/idempotency.ts';

export interface Recipient {
  address: string;
  /** The user whose balance it adds to: the owner of a wallet in custody of the platform. */
  creditedUserId: string | null;
}

/**
 * The address to pay for an email, a user id or an address on the asset's network, if it may be paid. If the
 * payment is already on chain (`isPaid`), it is only looked up.
 */
export async function resolveRecipient(ctx: Ctx, request: RecipientRequest): Promise<Recipient> {
  const recipient = await findRecipient(ctx, request);
  if (!request.isPaid && (await isRefused(ctx, request.asset, recipient.address))) {
    throw withdrawalErrors.receiverNotEligible();
  }
  return recipient;
}

export interface RecipientRequest {
  asset: Asset;
  userId: string;
  to: string;
  isPaid: boolean;
  /** Of the address of `payeeOf`, if it was read before. */
  owner?: RecipientRow | undefined;
}

/** The same, without asking the token's issuer and the screening provider. */
export async function findRecipient(
  ctx: Ctx,
  { asset, userId, to, isPaid, owner }: RecipientRequest,
): Promise<Recipient> {
  const recipient = owner ?? (await selectRecipient(ctx.db, asset.network.name, readIdentifier(to)));
  if (!recipient) throw withdrawalErrors.recipientNotFound();
  const { address, custody, isBlocked } = recipient;
  const creditedUserId = custody === 'platform' ? recipient.userId : null;
  if (isPaid) return { address, creditedUserId };
  if (isUnrecoverableAddress(asset.network, address) || (await isHotWallet(ctx, asset.network, address)))
    throw withdrawalErrors.walletNotFound();
  // A payment to oneself would be credited again, so a balance could leave the hot wallet any number of
  // times.
  const isOwn = creditedUserId === userId;
  if (isBlocked || isOwn) throw withdrawalErrors.receiverNotEligible();
  return { address, creditedUserId };
}

/** The address that a request names, if it names a valid one. */
export function payeeOf({ asset, to }: Pick<RecipientRequest, 'asset' | 'to'>): Payee | undefined {
  const address = to.includes('@') ? undefined : parseAddress(to);
  return address === undefined ? undefined : { network: asset.network.name, address };
}

function readIdentifier(to: string): { email?: string; userId?: string; address?: string } {
  // By the contract, an `@` means an email, which may start with `0x`.
  if (to.includes('@')) {
    const email = normalizeEmail(to);
    if (email === undefined) throw withdrawalErrors.recipientNotFound();
    return { email };
  }
  if (to.startsWith('0x')) {
    const address = parseAddress(to);
    if (!address) throw withdrawalErrors.walletNotFound();
    return { address };
  }
  const userId = to.toLowerCase();
  if (uuidForm.test(userId)) return { userId };
  throw withdrawalErrors.recipientNotFound();
}
