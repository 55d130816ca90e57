import { type EvmNetwork, NodeError } from '#adapters/evm';
import type { Ctx } from '#context';
import { lastBlockOf } from './check-last-block.ts';
import { readBlocks } from './post-blocks.ts';
import { type Cursor, selectCursor } from './queries.ts';
import { tooFew } from './read-agreed-transfers.ts';
import { blocksInTurn } from './timing.ts';
import { type NodeView, viewNodes } from './view-nodes.ts';

/** How far a network is read for deposits, and what nodes say about it. */
export interface ReadProgress {
  /** The last block that was read. */
  block: number;
  /** Places of nodes, from 0, that have another block of that number than was read. */
  otherOn: number[];
  /** Why no block after it is read; undefined if nothing is in the way. */
  trouble: string | undefined;
}

/** Blocks that are final for longer are normally read. */
const unreadMaxMs = 60_000;

/** Asks every node as the worker does, and changes nothing. Undefined if the network is not watched. */
export async function showProgress(ctx: Ctx, network: EvmNetwork): Promise<ReadProgress | undefined> {
  const cursor = await selectCursor(ctx.db, network.name);
  if (!cursor) return undefined;
  const { views } = await viewNodes({ network }, lastBlockOf(cursor));
  const others = views.filter(({ hash }) => isOther(cursor, hash));
  return {
    block: cursor.nextBlock - 1,
    otherOn: others.map(({ provider }) => network.node.providers.indexOf(provider)),
    // A halt has its own reason, and a person ends it.
    trouble: cursor.haltedAt ? undefined : await findTrouble(ctx, network, { cursor, views }),
  };
}

const isOther = ({ lastHash }: Cursor, hash: string | undefined) =>
  lastHash !== null && hash !== undefined && hash !== lastHash;

async function findTrouble(
  ctx: Ctx,
  network: EvmNetwork,
  { cursor, views }: { cursor: Cursor; views: readonly NodeView[] },
): Promise<string | undefined> {
  const { nextBlock, lastHash, lastBlockAt } = cursor;
  const ahead = views.flatMap(({ final }) => (final && final.number >= nextBlock ? [final] : []));
  const isUnread = ahead.some(
    ({ timestamp }) => lastBlockAt !== null && timestamp.getTime() - lastBlockAt.getTime() > unreadMaxMs,
  );
  if (!isUnread) return undefined;
  const { quorum } = network.node;
  const agreeing = views.filter(({ hash }) => lastHash === null || hash === lastHash);
  const able = agreeing.filter(({ final }) => final && final.number >= nextBlock);
  if (able.length < quorum) return tooFew(able.length, quorum, nextBlock);
  const toBlock = Math.min(nextBlock + blocksInTurn - 1, ...able.map(({ final }) => final!.number));
  try {
    const read = await readBlocks(ctx, network, { views: able, fromBlock: nextBlock, toBlock });
    return read.kind === 'disagreed' ? read.trouble : undefined;
  } catch (error) {
    if (error instanceof NodeError) return 'no node answers with the transfers of the next blocks';
    throw error;
  }
}
