import { askAgain, type EvmNetwork, type Network, NodeError } from '#adapters/evm';
import type { Ctx } from '#context';
import { payoutErrors } from './errors.ts';

/**
 * Calls a network for an operator command. Unanswered calls are retried for a while, because commands need
 * many answers in one attempt. Refuses if a node stays down or the network is not configured.
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
