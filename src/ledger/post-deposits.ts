import { type Ctx, inTransaction } from '../context.ts';
import { type Posting, postLines } from './post-lines.ts';
import { type Owner, selectNetworksOfKeys, selectPostedOperations } from './queries.ts';

/** Tokens that came to a user's wallet on chain, and are final there. */
export interface Deposit extends Owner {
  amount: bigint;
  transactionHash: string;
  logIndex: number;
  /** The time of the block. */
  at: Date;
  /** The user's own withdrawal, to a wallet that became theirs: its line has this place on chain already. */
  isOwnWithdrawal?: boolean;
}

/**
 * Posts deposits as `buy` lines and says how many were new: one that was posted before, by whomever, is left out by its place on
 * chain. Whoever calls this for one network waits for others who do.
 */
export function postDeposits(ctx: Ctx, deposits: readonly Deposit[]): Promise<number> {
  if (deposits.length === 0) return Promise.resolve(0);
  return inTransaction(ctx, async ({ db, now }) => {
    const names = new Map(deposits.map((deposit) => [nameOf(deposit), deposit]));
    const posted = await selectPostedOperations(db, 'deposit', [...names.keys()]);
    const unposted = [...names].filter(([name]) => !posted.has(name)).map(([, deposit]) => deposit);
    const networks = await selectNetworksOfKeys(
      db,
      unposted.map(({ userId }) => userId),
      unposted.map(keyOf),
    );
    const placeTakenOn = (deposit: Deposit) => networks.get(`${deposit.userId} ${keyOf(deposit)}`);
    // What an operator has posted under its place on chain is there already.
    const news = unposted.filter(
      (deposit) => deposit.isOwnWithdrawal || placeTakenOn(deposit) !== deposit.network,
    );
    await postLines(
      db,
      now,
      news.map((deposit) =>
        toPosting(deposit, deposit.isOwnWithdrawal || placeTakenOn(deposit) !== undefined),
      ),
    );
    return news.length;
  });
}

const nameOf = ({ network, transactionHash, logIndex }: Deposit) =>
  `${network}:${transactionHash}:${logIndex}`;

const keyOf = ({ transactionHash, logIndex }: Deposit) => `${transactionHash}:${logIndex}`;

/** Under a key of its own where its place on chain is that of another line: the user's own withdrawal, or another network's. */
function toPosting(deposit: Deposit, isPlaceTaken: boolean | undefined): Posting {
  const { userId, network, currency, amount, transactionHash, logIndex, at } = deposit;
  const description = `Deposit of ${currency} on ${network}`;
  const onChain = { transactionHash, logIndex };
  return {
    ...{ kind: 'deposit', operationId: nameOf(deposit), description, onChain },
    lines: [
      {
        ...{ userId, operationId: nameOf(deposit), type: 'buy', network, sent: null },
        ...{ received: { currency, amount }, transactionAt: at, executedAt: at, description },
        ...{ purpose: 'deposit', userDescription: null, onChain: isPlaceTaken ? null : onChain },
      },
    ],
  };
}
