import { NodeError } from '#adapters/evm';
import { checkLastBlock, lastBlockOf } from './check-last-block.ts';
import { postBlocks } from './post-blocks.ts';
import { claimCursor, insertCursor, releaseCursor, selectCursor } from './queries.ts';
import { tooFew } from './read-agreed-transfers.ts';
import { farBehindBlocks, leaveMs } from './timing.ts';
import { type NodeView, viewNodes } from './view-nodes.ts';
import { adaptSpan, type Watch, type WorkerCtx } from './watch.ts';

export interface Turn {
  /** Deposits that were not posted before. */
  posted: number;
  /** There are more final blocks to read. */
  isBehind: boolean;
}

const nothing: Turn = { posted: 0, isBehind: false };

/**
 * Reads the next final blocks of a network and posts their deposits. The chain is read first, without a
 * transaction; then one transaction posts what was found and moves the cursor, if it is still where reading
 * began. So the same blocks are read again wherever a process dies, and of two workers that read them one
 * posts. A wallet counts from the next block that is read after its verification: earlier blocks were read
 * without it.
 */
export async function watchDeposits(ctx: WorkerCtx, watch: Watch): Promise<Turn> {
  const cursor = await selectCursor(ctx.db, watch.network.name);
  if (cursor?.haltedReason) {
    watch.trouble.report(ctx.log, cursor.haltedReason);
    return nothing;
  }
  const answers = await viewNodes(watch, cursor && lastBlockOf(cursor));
  if (!cursor) {
    const wait = await begin(ctx, watch, answers.views);
    watch.trouble.report(ctx.log, answers.trouble ?? wait);
    return nothing;
  }
  const { views, trouble } = await checkLastBlock(ctx, watch, cursor, answers);
  const { network, nextBlock } = cursor;
  const finals = views.map(({ final }) => final?.number ?? -1).filter((number) => number >= nextBlock);
  const { quorum } = watch.network.node;
  if (finals.length < quorum) {
    const isFarBehind = Math.max(...finals) - nextBlock >= farBehindBlocks;
    watch.trouble.report(
      ctx.log,
      trouble ?? (isFarBehind ? tooFew(finals.length, quorum, nextBlock) : undefined),
    );
    return nothing;
  }
  // Up to the block that all nodes in front report as final. A node far behind has no vote and delays nobody.
  const toBlock = Math.min(nextBlock + watch.span - 1, ...finals);
  if (!(await claimCursor(ctx.db, { network, nextBlock, leaveMs }))) return nothing;
  try {
    const posted = await postBlocks(ctx, watch, { views, cursor, toBlock });
    if (posted === undefined) return nothing;
    watch.trouble.report(ctx.log, trouble);
    return { posted, isBehind: toBlock < Math.max(...finals) };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    adaptSpan(watch, 'no answer');
    ctx.log.debug({ err: error, network }, 'the nodes did not answer; retrying');
    return nothing;
  } finally {
    await releaseCursor(ctx.db, { network, nextBlock });
  }
}

/**
 * A network is watched from the first block that is not final when a worker first sees it, because operators
 * who credited balances by hand have counted what came before. A quorum of nodes near each other must have
 * reached it: an invented height would skip deposits, and a syncing node would start years ago. Returns why
 * it does not begin yet.
 */
async function begin(
  ctx: WorkerCtx,
  { network }: Watch,
  views: readonly NodeView[],
): Promise<string | undefined> {
  const { quorum } = network.node;
  const finals = views.flatMap(({ final }) => final ?? []).sort((one, other) => other.number - one.number);
  const reached = finals.slice(quorum - 1);
  const final = reached.find(({ number }, at) => finals[at]!.number - number < farBehindBlocks);
  if (!final) return finals[0] && tooFew(1, quorum, finals[0].number);
  const nextBlock = final.number + 1;
  const first = { network: network.name, nextBlock, lastHash: final.hash, now: ctx.now };
  if (await insertCursor(ctx.db, first)) {
    ctx.log.info({ network: network.name, nextBlock }, 'deposits are watched from this block on');
  }
  return undefined;
}
