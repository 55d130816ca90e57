import {
  type Block,
  batchCalls,
  NodeError,
  type Provider,
  readBlock,
  readChainId,
  readFinalBlock,
  strictestRule,
} from '#adapters/evm';
import { viewTimeoutMs } from './timing.ts';
import type { Watch } from './watch.ts';

/** One node's view of the chain. */
export interface NodeView {
  provider: Provider;
  /** The latest block that is final for every amount; undefined if the chain is not that high. */
  final: Block | undefined;
  /** The hash of the requested block; undefined if the node lacks it or no block was requested. */
  hash: string | undefined;
}

export interface NodeViews {
  views: NodeView[];
  /** What is wrong with a node that answered. */
  trouble: string | undefined;
}

/** Asks every node of the network; omits those that do not answer or are on another chain. */
export async function viewNodes(
  { network }: Pick<Watch, 'network'>,
  block: number | undefined,
): Promise<NodeViews> {
  const answers = await Promise.all(
    network.node.providers.map(async (provider) => {
      try {
        const together = batchCalls(provider, viewTimeoutMs);
        const [chainId, final, asked] = await Promise.all([
          readChainId(together),
          readFinalBlock(together, strictestRule(network.finality)),
          block === undefined ? undefined : readBlock(together, block),
        ]);
        return { chainId, view: { provider, final, hash: asked?.hash } };
      } catch (error) {
        if (error instanceof NodeError) return undefined;
        throw error;
      }
    }),
  );
  const heard = answers.filter((answer) => answer !== undefined);
  const stray = heard.find(({ chainId }) => chainId !== network.chainId);
  return {
    views: heard.filter(({ chainId }) => chainId === network.chainId).map(({ view }) => view),
    trouble: stray && `a node of ${network.name} is on chain ${stray.chainId}, not ${network.chainId}`,
  };
}
