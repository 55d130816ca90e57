import { type Ctx, inTransaction } from '#context';
import type { Posting } from './lines/line.ts';
import { postLines } from './post-lines.ts';
import type { Owner } from './queries/accounts.ts';
import { keyOf } from './queries/post.ts';
import { insertCredits, selectCredited, selectTakenKeys } from './queries/postings.ts';

/** Tokens that came to a user's wallet on chain, and are final there. */
export interface Deposit extends Owner {
  amount: bigint;
  transactionHash: string;
  logIndex: number;
  /** The time of the block. */
  at: Date;
}

/**
 * Posts deposits as `buy` lines and returns how many were new: one whose place on chain was credited before,
 * to any user, is left out. Calls for one network run one after another.
 */
export function postDeposits(ctx: Ctx, deposits: readonly Deposit[]): Promise<number> {
  if (deposits.length === 0) return Promise.resolve(0);
  return inTransaction(ctx, async ({ db, now, log }) => {
    const credited = await selectCredited(db, deposits);
    const named = new Map(deposits.map((deposit) => [nameOf(deposit), deposit]));
    const news = [...named.values()].filter((deposit) => !credited.has(nameOf(deposit)));
    if (news.length < named.size) {
      log.info({ deposits: [...credited].slice(0, 10) }, 'transfers that were already credited are skipped');
    }
    const takenKeys = await selectTakenKeys(db, news);
    const isTaken = (deposit: Deposit) => takenKeys.has(`${deposit.userId} ${keyOf(deposit)}`);
    await postLines(
      db,
      now,
      news.map((deposit) => toPosting(deposit, isTaken(deposit))),
    );
    await insertCredits(db, news.filter(isTaken));
    return news.length;
  });
}

const nameOf = ({ network, ...place }: Deposit) => `${network}:${keyOf(place)}`;

/**
 * Under a separate key where its place on chain is that of another line of the user: what they sent, or
 * another network's.
 */
function toPosting(deposit: Deposit, isPlaceTaken: boolean): Posting {
  const { userId, network, currency, amount, transactionHash, logIndex, at } = deposit;
  const description = `Deposit of ${currency} on ${network}`;
  const onChain = { transactionHash, logIndex };
  return {
    kind: 'deposit',
    operationId: nameOf(deposit),
    description,
    onChain,
    lines: [
      {
        userId,
        operationId: nameOf(deposit),
        type: 'buy',
        network,
        sent: null,
        received: { currency, amount },
        transactionAt: at,
        executedAt: at,
        description,
        purpose: 'deposit',
        onChain: isPlaceTaken ? null : onChain,
      },
    ],
  };
}
