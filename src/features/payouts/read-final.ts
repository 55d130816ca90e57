import {
  type EvmNetwork,
  NodeError,
  readBlockHashes,
  readReceipts,
  readSentTransaction,
} from '#adapters/evm';
import { payoutErrors } from './errors.ts';
import { readFinalHeight } from './final-height.ts';

/**
 * A transaction in a final block on which every node agrees: proof that no other transaction will use its
 * nonce.
 */
export async function readFinal(network: EvmNetwork, hash: string) {
  const final = await readFinalHeight(network);
  if (!final) throw payoutErrors.transactionNotFinal();
  const { provider, height } = final;
  const { providers } = network.node;
  const [transactions, looks] = await Promise.all([
    Promise.all(providers.map((each) => readSentTransaction(each, hash))),
    Promise.all(providers.map((each) => readReceipts(each, [hash]))),
  ]);
  const [transaction] = transactions;
  const [receipt, ...others] = looks.flat();
  if (receipt instanceof NodeError) throw receipt;
  if (!transaction || !receipt || receipt.blockNumber > height) throw payoutErrors.transactionNotFinal();
  // The sender and the nonce are as important as the outcome: they say which payout is ended.
  if (
    others.some((other) => JSON.stringify(other) !== JSON.stringify(receipt)) ||
    transactions.some((other) => !other || describe(other) !== describe(transaction))
  )
    throw payoutErrors.nodesDiffer();
  const [blockHash] = await readBlockHashes(provider, [receipt.blockNumber]);
  if (blockHash !== receipt.blockHash) throw payoutErrors.transactionNotFinal();
  return { ...transaction, receipt };
}

/** The hash stands for what the transfer says. */
const describe = ({ from, nonce, transfer }: Sent) => `${from} ${nonce} ${transfer !== undefined}`;

type Sent = NonNullable<Awaited<ReturnType<typeof readSentTransaction>>>;
