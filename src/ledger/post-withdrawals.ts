import { type Ctx, inTransaction } from '../context.ts';
import { releaseFunds } from './hold-funds.ts';
import {
  insertEntries,
  insertPostings,
  lockAccounts,
  type Owner,
  openHouseAccounts,
  openUserAccounts,
  selectHouseAccounts,
} from './queries.ts';

export interface PaidWithdrawal extends Owner {
  withdrawalId: string;
  amount: bigint;
  /** The user whom the wallet belongs to that was paid, if it is one's. */
  recipientUserId: string | null;
  transactionHash: string;
  logIndex: number;
  description: string;
}

/**
 * Writes withdrawals that are final on chain into the books: spends what was held for them and posts each, from the user to
 * the recipient where that is a user, else out of custody. One that was posted before fails all of them. At most once in a
 * transaction and before it locks other accounts: this one opens accounts, then locks all it needs in order.
 */
export function postWithdrawals(ctx: Ctx, withdrawals: readonly PaidWithdrawal[]): Promise<void> {
  if (withdrawals.length === 0) return Promise.resolve();
  return inTransaction(ctx, async ({ db, now }) => {
    const paid = withdrawals.map((one) => ({ ...one, withdrawalId: one.withdrawalId.toLowerCase() }));
    const recipients = paid.map(({ userId, recipientUserId, network, currency }) => ({
      ...{ userId: recipientUserId ?? userId, network, currency },
    }));
    const owners = [...paid, ...recipients];
    await openUserAccounts(db, owners);
    await openHouseAccounts(db, 'custody', paid);
    const accounts = await lockAccounts(db, owners);
    const custody = await selectHouseAccounts(db, 'custody', paid);

    const postingIds = await insertPostings(
      db,
      'withdrawal',
      paid.map(({ withdrawalId, ...posting }) => ({ ...posting, operationId: withdrawalId })),
      now,
    );
    const moves = paid.map(({ withdrawalId, recipientUserId, amount }, at) => ({
      postingId: postingIds.get(withdrawalId)!,
      amount,
      accountId: accounts[at]!.accountId,
      toAccountId: recipientUserId === null ? custody[at]! : accounts[paid.length + at]!.accountId,
    }));
    await releaseFunds(db, moves);
    await insertEntries(
      db,
      moves.flatMap(({ postingId, amount, accountId, toAccountId }) => [
        { postingId, line: 1, accountId, amount: -amount },
        { postingId, line: 2, accountId: toAccountId, amount },
      ]),
    );
  });
}
