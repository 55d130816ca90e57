import {
  type Block,
  hasTransfer,
  NodeError,
  type Provider,
  type Received,
  type ReceivedRange,
  type ReceivedTransfer,
  readReceipts,
  readReceivedTransfers,
} from '#adapters/evm';
import type { NodeView } from './view-nodes.ts';

export type Agreement =
  | { kind: 'agreed'; end: Block; transfers: ReceivedTransfer[] }
  | { kind: 'disagreed'; trouble: string };

/**
 * The transfers of a range of blocks, if as many nodes as the quorum agree on them. Throws a `NodeError` if
 * no node answered.
 */
export async function readAgreedTransfers(
  quorum: number,
  views: readonly NodeView[],
  range: ReceivedRange,
): Promise<Agreement> {
  // Every node is asked, because one alone could hide a deposit or make one up. A node that does not answer,
  // or does not have the last block yet, has no vote. The others must be as many as the quorum and have the
  // same block there. Then every transfer that one of them shows must be in the chain of each: in its logs
  // or, since a node may index those slowly, in the receipt. Otherwise nothing is decided, and the next turn
  // asks again.
  const answers = await Promise.all(views.map((view) => readFrom(view, range)));
  const full = answers.flatMap((answer) => (answer && !(answer instanceof NodeError) ? [answer] : []));
  const [first, ...others] = full;
  if (!first) {
    const error = answers.find((answer) => answer instanceof NodeError);
    throw error ?? new NodeError('eth_getLogs: no node has the last block of the range');
  }
  if (full.length < quorum) return { kind: 'disagreed', trouble: tooFew(full.length, quorum, range.toBlock) };
  if (others.some(({ end }) => end.hash !== first.end.hash)) {
    return { kind: 'disagreed', trouble: `the nodes have different blocks ${range.toBlock}` };
  }
  const transfers = new Map<string, ReceivedTransfer>();
  for (const answer of full) for (const one of answer.transfers) transfers.set(describe(one), one);
  for (const { provider, transfers: shown } of full) {
    const known = new Set(shown.map(describe));
    const missing = [...transfers].filter(([description]) => !known.has(description)).map(([, one]) => one);
    const denied = await findDenied(provider, missing);
    if (denied) {
      return { kind: 'disagreed', trouble: `the nodes do not agree about ${nameOf(denied)}` };
    }
  }
  return { kind: 'agreed', end: first.end, transfers: [...transfers.values()].sort(inOrder) };
}

export const tooFew = (heard: number, quorum: number, block: number): string =>
  `only ${heard} of the nodes ${heard === 1 ? 'has' : 'have'} block ${block}, and ${quorum} must agree`;

async function readFrom(
  { provider, final }: NodeView,
  range: ReceivedRange,
): Promise<(Received & { provider: Provider }) | NodeError | undefined> {
  try {
    const received = await readReceivedTransfers(provider, range);
    if (!received) return undefined;
    if (final?.number === range.toBlock && final.hash !== received.end.hash) {
      return new NodeError('eth_getLogs: the final block changed while it was read');
    }
    return { ...received, provider };
  } catch (error) {
    if (error instanceof NodeError) return error;
    throw error;
  }
}

/** A transfer that the node's receipts lack. Throws a `NodeError` if the node does not answer. */
async function findDenied(
  provider: Provider,
  transfers: readonly ReceivedTransfer[],
): Promise<ReceivedTransfer | undefined> {
  const hashes = [...new Set(transfers.map(({ transactionHash }) => transactionHash))];
  const answers = await readReceipts(provider, hashes);
  const receipts = new Map(answers.map((answer, at) => [hashes[at]!, answer]));
  return transfers.find((transfer) => {
    const receipt = receipts.get(transfer.transactionHash);
    if (receipt instanceof NodeError) throw receipt;
    return !receipt || !hasTransfer(receipt, transfer);
  });
}

const nameOf = ({ transactionHash, logIndex }: ReceivedTransfer) => `${transactionHash}:${logIndex}`;

/** Everything that a node says about a transfer. */
const describe = (transfer: ReceivedTransfer) =>
  Object.values({ ...transfer, at: transfer.at.getTime() }).join(' ');

const inOrder = (one: ReceivedTransfer, other: ReceivedTransfer) =>
  one.blockNumber - other.blockNumber || one.logIndex - other.logIndex;
