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
  const [transaction, ...looks] = await Promise.all([
    readSentTransaction(provider, hash),
    ...network.node.providers.map((each) => readReceipts(each, [hash])),
  ]);
  const [receipt, ...others] = looks.flat();
  if (receipt instanceof NodeError) throw receipt;
  if (!transaction || !receipt || receipt.blockNumber > height) throw payoutErrors.transactionNotFinal();
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(receipt)))
    throw payoutErrors.nodesDiffer();
  const [blockHash] = await readBlockHashes(provider, [receipt.blockNumber]);
  if (blockHash !== receipt.blockHash) throw payoutErrors.transactionNotFinal();
  return { ...transaction, receipt };
}
