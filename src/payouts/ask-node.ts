import type { Ctx } from '../context.ts';
import { type EvmNetwork, type Network, NodeError } from '../evm/index.ts';
import { payoutErrors } from './errors.ts';

/** Asks a network on behalf of an operator, who is told when it does not answer or is not set up here. */
export async function askNode<T>(
  ctx: Ctx,
  name: string,
  ask: (network: EvmNetwork) => Promise<T>,
): Promise<T> {
  const network = ctx.evm.get(name as Network);
  if (!network) throw payoutErrors.nodeAway();
  try {
    return await ask(network);
  } catch (error) {
    if (error instanceof NodeError) throw payoutErrors.nodeAway({ cause: error });
    throw error;
  }
}
