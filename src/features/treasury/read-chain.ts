import {
  batchCalls,
  type EvmNetwork,
  NodeError,
  type ReceivedTransfer,
  readBlock,
  readGasBalance,
  readReceipts,
  readTokenBalances,
  readTransactionCount,
} from '#adapters/evm';
import type { Ctx } from '#context';
import { type NodeView, readAgreedTransfers, viewNodes } from '#features/deposits';
import { treasuryErrors } from './errors.ts';
import type { Position } from './queries.ts';
import { blocksInTurn } from './timing.ts';
import { selectOurs } from './wallets/queries.ts';

/** The nodes that a comparison is made with, all of which have its block, and what moved up to it. */
export interface ChainPart {
  nodes: readonly NodeView[];
  block: { number: number; hash: string };
  /** There are no more final blocks. */
  isLast: boolean;
  transfers: readonly ReceivedTransfer[];
}

/** Transfers of our wallets from the last comparison up to a final block; a quorum of nodes must agree. */
export async function readChain(
  ctx: Ctx,
  network: EvmNetwork,
  position: Position | undefined,
  hot: readonly string[],
): Promise<ChainPart> {
  const { quorum } = network.node;
  const { views } = await viewNodes({ network }, position?.blockNumber);
  const nodes = position ? requireBlock(views, position, quorum) : views;
  const finals = nodes.flatMap(({ final }) => final ?? []).sort((one, other) => other.number - one.number);
  const final = finals[quorum - 1];
  if (!final) throw treasuryErrors.nodesAway();
  if (!position || final.number <= position.blockNumber) {
    const block = position ? { number: position.blockNumber, hash: position.blockHash } : final;
    return { nodes: await requireAgreed(nodes, block, quorum), block, isLast: true, transfers: [] };
  }
  const fromBlock = position.blockNumber + 1;
  const toBlock = Math.min(final.number, position.blockNumber + blocksInTurn);
  const agreement = await readAgreedTransfers(quorum, nodes, {
    tokens: [...network.tokens.values()].map(({ address }) => address),
    fromBlock,
    toBlock,
    isWithSent: true,
    selectOurs: (addresses) => selectOurs(ctx.db, { network: network.name, hot, now: ctx.now }, addresses),
  });
  if (agreement.kind === 'disagreed')
    throw treasuryErrors.nodesAway({ message: sentence(agreement.trouble) });
  const block = { number: toBlock, hash: agreement.end.hash };
  return {
    nodes: await requireAgreed(nodes, block, quorum),
    block,
    isLast: toBlock === final.number,
    transfers: agreement.transfers,
  };
}

const sentence = (trouble: string) => `Nothing was compared: ${trouble}`;

/** The nodes that have the block of the last comparison as it was. */
function requireBlock(
  views: readonly NodeView[],
  { blockHash, blockNumber }: Position,
  quorum: number,
): NodeView[] {
  const same = views.filter(({ hash }) => hash === blockHash);
  const other = views.filter(({ hash }) => hash !== undefined && hash !== blockHash);
  if (other.length >= quorum && same.length === 0) throw treasuryErrors.blockGone();
  if (views.length >= quorum && same.length === 0)
    throw treasuryErrors.nodesAway({
      message: `Nothing was compared: the nodes do not have block ${blockNumber}, where the last comparison ended. If they have pruned it, run causeway treasury reopen`,
    });
  if (same.length < quorum) throw treasuryErrors.nodesAway();
  return same;
}

async function requireAgreed(
  nodes: readonly NodeView[],
  { number, hash }: { number: number; hash: string },
  quorum: number,
): Promise<NodeView[]> {
  const found = await Promise.all(
    nodes.map(({ provider }) => readBlock(provider, number).catch(() => undefined)),
  );
  const agreeing = nodes.filter((_, at) => found[at]?.hash === hash);
  if (agreeing.length < quorum) throw treasuryErrors.nodesAway();
  return agreeing;
}

export interface Measured {
  address: string;
  currency: string;
  balance: bigint;
}

/** Balances of wallets at the block. All nodes that have it are asked, and those that answer must agree. */
export function readWallets(
  network: EvmNetwork,
  { nodes, block }: ChainPart,
  addresses: readonly string[],
): Promise<Measured[]> {
  const wanted = addresses.flatMap((address) =>
    [...network.tokens.values()].map(({ symbol, address: token }) => ({ address, currency: symbol, token })),
  );
  return askAll(network, nodes, async ({ provider }) => {
    const balances = await readTokenBalances(provider, wanted, block.number);
    return wanted.map(({ address, currency }, at) => ({ address, currency, balance: balances[at]! }));
  });
}

/** Native coin of the hot wallets, in wei, and how many transactions they had sent, at the block. */
export async function readGas(
  network: EvmNetwork,
  { nodes, block }: ChainPart,
  wallets: readonly string[],
): Promise<{ gas: bigint; sent: bigint }> {
  const figures = await askAll(network, nodes, async ({ provider }) => {
    const together = batchCalls(provider);
    return Promise.all(
      wallets.flatMap((wallet) => [
        readGasBalance(together, wallet, block.number),
        readTransactionCount(together, wallet, block.number).then(BigInt),
      ]),
    );
  });
  const every = (first: number) =>
    figures.filter((_, at) => at % 2 === first).reduce((total, figure) => total + figure, 0n);
  return { gas: every(0), sent: every(1) };
}

/**
 * The block of each transaction; null if the chain does not have it. It is used only for names, so one node
 * is enough.
 */
export async function readPlaces(
  { nodes }: ChainPart,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, number | null>> {
  if (hashes.length === 0) return new Map();
  const receipts = await readReceipts(nodes[0]!.provider, hashes);
  return new Map(
    receipts.flatMap((receipt, at) =>
      receipt instanceof NodeError ? [] : [[hashes[at]!, receipt?.blockNumber ?? null] as const],
    ),
  );
}

async function askAll<Answer>(
  { node: { quorum } }: EvmNetwork,
  nodes: readonly NodeView[],
  ask: (node: NodeView) => Promise<Answer[]>,
): Promise<Answer[]> {
  const answers = await Promise.all(
    nodes.map((node) =>
      ask(node).catch((error) => {
        if (!(error instanceof NodeError)) throw error;
        return error;
      }),
    ),
  );
  const heard = answers.flatMap((answer) => (answer instanceof NodeError ? [] : [answer]));
  const cause = answers.find((answer) => answer instanceof NodeError);
  if (heard.length < quorum) throw treasuryErrors.nodesAway({ cause });
  if (new Set(heard.map(describe)).size > 1)
    throw treasuryErrors.nodesAway({ message: 'Nothing was compared: the nodes have different balances' });
  return heard[0]!;
}

const describe = (answer: unknown) =>
  JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? String(value) : value));
