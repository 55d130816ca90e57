import { type EvmNetwork, type Provider, readFinalBlock, strictestRule } from '#adapters/evm';

/** A height, and the nodes that have come that far. */
export interface FinalHeight {
  height: number;
  providers: readonly Provider[];
  /** The next of them in rotation. */
  provider: Provider;
}

/**
 * The highest final block that a quorum of nodes has reached, because one node could call any block final.
 * Undefined if the chain is not that high. Throws a `NodeError` if a node does not answer.
 */
export async function readFinalHeight({ node, finality }: EvmNetwork): Promise<FinalHeight | undefined> {
  const rule = strictestRule(finality);
  const finals = await Promise.all(node.providers.map((each) => readFinalBlock(each, rule)));
  const heights = finals.map((final) => final?.number ?? -1);
  const height = heights.toSorted((one, other) => other - one)[node.quorum - 1] ?? -1;
  if (height < 0) return undefined;
  const providers = node.providers.filter((_, at) => heights[at]! >= height);
  const next = node.pick();
  return { height, providers, provider: providers.includes(next) ? next : providers[0]! };
}
