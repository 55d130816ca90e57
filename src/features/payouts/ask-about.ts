import { type Agreement, agree } from './agree.ts';
import type { PaidSlot } from './queries/slots.ts';
import { findInChain, type NodeView, viewChain, type Watched } from './view-chain.ts';

/**
 * Asks every node about nonces of a wallet and combines the answers. Throws a `NodeError` if no node answers.
 */
export async function askAbout<Slot extends PaidSlot>(
  watched: Watched,
  slots: readonly Slot[],
  views?: readonly NodeView[],
): Promise<Agreement<Slot>[]> {
  const asked = views ?? (await viewChain(watched));
  const found = await Promise.all(asked.map(({ provider }) => findInChain(provider, slots)));
  return slots.map((slot, at) => {
    const answers = asked.map((view, of) => ({ view, ...found[of]![at]! }));
    return agree(watched.network, slot, answers);
  });
}
