import { askAgain, type EvmNetwork, type Network, NodeError } from '#adapters/evm';
import type { Ctx } from '#context';
import { payoutErrors } from './errors.ts';

/**
 * Asks a network for an operator. A call that a node does not answer is repeated for a while, because commands need many answers
 * in one attempt. Refused where a node stays away, or where the network is not set up here.
 */
export async function askNode<T>(
  ctx: Ctx,
  name: string,
  ask: (network: EvmNetwork) => Promise<T>,
): Promise<T> {
  const network = ctx.evm.get(name as Network);
  if (!network) throw payoutErrors.nodeAway();
  try {
    return await ask({ ...network, node: askAgain(network.node) });
  } catch (error) {
    if (error instanceof NodeError) throw payoutErrors.nodeAway({ cause: error });
    throw error;
  }
}
