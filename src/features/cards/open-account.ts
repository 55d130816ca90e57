import { randomUUID } from 'node:crypto';
import type { IssuerUser } from '#adapters/issuer';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { userErrors, userExists } from '#features/users';
import { applyEvents } from './apply-events.ts';
import { askIssuer, issuerKey } from './ask-issuer.ts';
import { isOwn } from './is-own.ts';
import { type CardAccount, selectAccount, selectAccounts } from './queries/accounts.ts';

export interface NewAccount {
  userId: string;
  /** Under one key, one account is opened. */
  idempotencyKey?: string;
}

/** Opens an account for a user at the issuer, beside those that they have. */
export async function openAccount(ctx: Ctx, { userId, idempotencyKey }: NewAccount): Promise<CardAccount> {
  const id = userId.toLowerCase();
  if (!isOwn(ctx, id) || !(await userExists(ctx.db, id))) throw userErrors.userNotFound();
  return open(ctx, id, idempotencyKey ?? randomUUID());
}

/** The user's oldest account, opened if they have none. Concurrent calls get the same account. */
export async function oldestAccount(ctx: Ctx, userId: string): Promise<CardAccount> {
  const [oldest] = await selectAccounts(ctx.db, userId);
  return oldest ?? open(ctx, userId, 'the first account');
}

async function open(ctx: Ctx, userId: string, key: string): Promise<CardAccount> {
  const idempotencyKey = issuerKey('account', userId, key);
  const opened = await askIssuer(ctx.issuer.createUser({ reference: userId, idempotencyKey }));
  return inTransaction(ctx, (ctx) => store(ctx, opened));
}

/** Audited also if a webhook stored the account first: it was requested here. */
async function store(ctx: Ctx, opened: IssuerUser): Promise<CardAccount> {
  await applyEvents(ctx, [{ type: 'user.created', data: opened }]);
  const account = await selectAccount(ctx.db, opened.id);
  if (account?.userId !== opened.reference) {
    throw new Error('the account that the issuer opened is known as somebody else’s');
  }
  const { id: cardIssuerUserId, userId, collateralAddress } = account;
  await recordChange(ctx, {
    action: 'cards.open-account',
    subject: `user:${userId}`,
    after: { cardIssuerUserId, collateralAddress },
  });
  return account;
}
