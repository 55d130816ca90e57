import { type Ctx, inTransaction } from '#context';
import type { NewLine, Posting } from './lines/line.ts';
import { postLines } from './post-lines.ts';
import type { Owner } from './queries/accounts.ts';
import { keyOf } from './queries/post.ts';
import { insertCredits, selectCredited } from './queries/postings.ts';

export interface PaidWithdrawal extends Owner {
  withdrawalId: string;
  amount: bigint;
  /** The user who owns the wallet that was paid, or null. */
  recipientUserId: string | null;
  transactionHash: string;
  logIndex: number;
  description: string;
}

/**
 * Posts withdrawals that are final on chain and spends their holds: a `sell` line of the user and, if the
 * recipient is a user, a `buy` line of theirs. One that was posted before fails all of them.
 */
export function postWithdrawals(ctx: Ctx, withdrawals: readonly PaidWithdrawal[]): Promise<void> {
  // At most once in a transaction and before it locks accounts: this locks the ledgers, then all accounts,
  // each in order. A recipient whose transfer an operator has already credited, to any user, is not credited
  // again.
  if (withdrawals.length === 0) return Promise.resolve();
  return inTransaction(ctx, async ({ db, now }) => {
    const toUsers = withdrawals.filter(({ recipientUserId }) => recipientUserId !== null);
    const credited = toUsers.length > 0 ? await selectCredited(db, toUsers) : new Set();
    const isCredited = (one: PaidWithdrawal) => credited.has(`${one.network}:${keyOf(one)}`);
    const postings = withdrawals.map((one) =>
      toPosting(isCredited(one) ? { ...one, recipientUserId: null } : one, now),
    );
    await postLines(db, now, postings);
    await insertCredits(
      db,
      toUsers.filter((one) => one.recipientUserId === one.userId && !isCredited(one)),
    );
  });
}

function toPosting(paid: PaidWithdrawal, now: Date): Posting {
  const { userId, recipientUserId, network, currency, amount, description, transactionHash, logIndex } = paid;
  const operationId = paid.withdrawalId.toLowerCase();
  const onChain = { transactionHash, logIndex };
  const common = {
    operationId,
    network,
    transactionAt: now,
    executedAt: now,
    description,
  };
  const leg = { currency, amount };
  const sell: NewLine = {
    ...common,
    userId,
    type: 'sell',
    sent: leg,
    received: null,
    purpose: 'withdrawal',
    onChain,
  };
  const buy = (toUserId: string): NewLine => ({
    ...common,
    userId: toUserId,
    type: 'buy',
    sent: null,
    received: leg,
    purpose: 'deposit',
    description: `Deposit of ${currency} on ${network}`,
    // In one ledger the place on chain is the key of one line: of a withdrawal to oneself, of that which
    // sends.
    onChain: toUserId === userId ? null : onChain,
  });
  const lines = recipientUserId === null ? [sell] : [sell, buy(recipientUserId)];
  return { kind: 'withdrawal', operationId, description, onChain, isHeld: true, lines };
}
