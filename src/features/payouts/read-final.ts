import {
  type EvmNetwork,
  NodeError,
  readBlockHashes,
  readFinalBlock,
  readReceipts,
  readSentTransaction,
  strictestRule,
} from '#adapters/evm';
import { payoutErrors } from './errors.ts';

/**
 * A transaction in a final block on which every node agrees: proof that no other transaction will use its
 * nonce.
 */
export async function readFinal({ node, finality }: EvmNetwork, hash: string) {
  const provider = node.pick();
  const [transaction, final, ...looks] = await Promise.all([
    readSentTransaction(provider, hash),
    readFinalBlock(provider, strictestRule(finality)),
    ...node.providers.map((each) => readReceipts(each, [hash])),
  ]);
  const [receipt, ...others] = looks.flat();
  if (receipt instanceof NodeError) throw receipt;
  if (!transaction || !receipt || !final || receipt.blockNumber > final.number) {
    throw payoutErrors.transactionNotFinal();
  }
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(receipt)))
    throw payoutErrors.nodesDiffer();
  const [blockHash] = await readBlockHashes(provider, [receipt.blockNumber]);
  if (blockHash !== receipt.blockHash) throw payoutErrors.transactionNotFinal();
  return { ...transaction, receipt };
}
