import {
  type EvmNetwork,
  type Network,
  NodeError,
  type Receipt,
  readBlockHashes,
  readReceipts,
  receivesTransfer,
} from '#adapters/evm';
import type { Ctx } from '#context';
import { depositErrors } from './errors.ts';
import { type PostedDeposit, selectPostedFrom } from './queries.ts';

export interface DepositCheck {
  checked: number;
  /** Posted deposits that are not on chain. */
  missing: PostedDeposit[];
  /** Where to continue, if there is more. */
  nextBlock: number | null;
}

const depositsMax = 1_000;

/**
 * Compares posted deposits from a block on with the current chain, on one node, such as after a
 * reorganisation.
 */
export async function checkDeposits(
  ctx: Ctx,
  { network: name, fromBlock }: { network: string; fromBlock: number },
): Promise<DepositCheck> {
  const network = ctx.evm.get(name as Network);
  if (!network) throw depositErrors.networkNotWatched();
  const rows = await selectPostedFrom(ctx.db, { network: name, fromBlock, limit: depositsMax + 1 });
  // Deposits of the last block may continue beyond the limit.
  const nextBlock = rows.length > depositsMax ? rows.at(-1)!.blockNumber : null;
  const posted = rows.slice(0, depositsMax);
  return { checked: posted.length, missing: await findMissing(network, posted), nextBlock };
}

async function findMissing(
  { node, tokens }: EvmNetwork,
  posted: readonly PostedDeposit[],
): Promise<PostedDeposit[]> {
  const provider = node.pick();
  const hashes = [...new Set(posted.map(({ transactionHash }) => transactionHash))];
  const receipts = new Map<string, Receipt>();
  for (const receipt of await readReceipts(provider, hashes)) {
    if (receipt instanceof NodeError) throw depositErrors.nodeAway({ cause: receipt });
    if (receipt) receipts.set(receipt.transactionHash, receipt);
  }
  const numbers = [...new Set([...receipts.values()].map(({ blockNumber }) => blockNumber))];
  const canonical = new Map<number, string | null>();
  for (const [at, hash] of (await readBlockHashes(provider, numbers)).entries()) {
    if (hash instanceof NodeError) throw depositErrors.nodeAway({ cause: hash });
    canonical.set(numbers[at]!, hash);
  }
  return posted.filter(({ transactionHash, wallet, currency, amount }) => {
    const receipt = receipts.get(transactionHash);
    const token = [...tokens.values()].find(({ symbol }) => symbol === currency)?.address;
    if (!receipt || !token || canonical.get(receipt.blockNumber) !== receipt.blockHash) return true;
    return !receivesTransfer(receipt, { token, to: wallet, amount });
  });
}
