import { type EvmNetwork, NodeError } from '#adapters/evm';
import type { Ctx } from '#context';
import { isContradicted, type NodeAnswer } from './agree.ts';
import { askAbout } from './ask-about.ts';
import { selectLaneDepths } from './queries/signers.ts';
import { type OpenSlot, selectOpenSlots } from './queries/slots.ts';
import { viewChain } from './view-chain.ts';

/** The first payout of a wallet that is not settled: all later ones wait for it. */
export interface FirstInLine {
  wallet: string;
  nonce: bigint;
  withdrawalId: string;
  signedAt: Date;
  /** One node has it in a block that another has passed without it, or has it with another outcome. */
  isContradicted: boolean;
  /** Of the nodes that answer. */
  answers: readonly NodeAnswer[];
}

/** What each node of a network says about the first payout of each wallet, as the worker asks it. */
export async function showFirstInLine(ctx: Ctx, network: EvmNetwork): Promise<FirstInLine[]> {
  const depths = await selectLaneDepths(ctx.db);
  const open = depths.filter((one) => one.network === network.name && one.open > 0n);
  const found = await Promise.all(open.map(({ address }) => askAboutFirst(ctx, network, address)));
  return found.filter((one) => one !== undefined);
}

async function askAboutFirst(
  { db }: Ctx,
  network: EvmNetwork,
  address: string,
): Promise<FirstInLine | undefined> {
  const all = { from: 0, below: Number.MAX_SAFE_INTEGER };
  const [slot] = await selectOpenSlots(db, { network: network.name, address, ...all, limit: 1 });
  if (!slot) return undefined;
  const { nonce, withdrawalId, attempts } = slot;
  const answers = await askNodes(network, address, slot);
  const signedAt = attempts.at(-1)!.signedAt;
  return {
    wallet: address,
    nonce,
    withdrawalId,
    signedAt,
    isContradicted: isContradicted({ answers }),
    answers,
  };
}

/** Nothing if no node answers. */
async function askNodes(
  network: EvmNetwork,
  address: string,
  slot: OpenSlot,
): Promise<readonly NodeAnswer[]> {
  const watched = { network, address };
  try {
    const [agreement] = await askAbout(watched, [slot], await viewChain(watched));
    return agreement!.answers;
  } catch (error) {
    if (error instanceof NodeError) return [];
    throw error;
  }
}
