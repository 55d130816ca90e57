import { type Cursor, updateHalted } from './queries.ts';
import { type NodeView, type NodeViews, viewNodes } from './view-nodes.ts';
import type { Watch, WorkerCtx } from './watch.ts';

/** The block whose hash the cursor has; undefined if an operator moved the cursor. */
export const lastBlockOf = ({ nextBlock, lastHash }: Cursor) =>
  lastHash === null ? undefined : nextBlock - 1;

/**
 * Returns the nodes that still have the last block that was read, so that what they have after it continues
 * what was posted. If no node has it, nothing is read. If a quorum has another block there, the network halts
 * until an operator resumes it, because posted deposits may no longer be on chain.
 */
export async function checkLastBlock(
  ctx: WorkerCtx,
  watch: Watch,
  cursor: Cursor,
  { views, trouble }: NodeViews,
): Promise<NodeViews> {
  const block = lastBlockOf(cursor);
  if (block === undefined) return { views, trouble };
  const agreeing = views.filter(({ hash }) => hash === cursor.lastHash);
  const isOther = ({ hash }: NodeView) => hash !== undefined && hash !== cursor.lastHash;
  if (agreeing.length === 0 && views.some(isOther)) {
    // One answer may be wrong, and ending a halt takes a person: ask every node again before halting.
    const again = (await viewNodes(watch, block)).views;
    const others = again.filter(isOther);
    const isEnough = others.length >= watch.network.node.quorum;
    if (isEnough && again.every((view) => view.hash === undefined || isOther(view))) {
      await halt(ctx, watch, cursor, others[0]!.hash!);
    }
    return { views: [], trouble: watch.trouble.now };
  }
  // A node without the block lags, and a node that is down has no vote. Neither proves that the block is
  // gone.
  if (agreeing.length === 0 && views.length > 0) {
    return { views: [], trouble: `no node has block ${block}, which was read already` };
  }
  const isDissent = views.some(isOther);
  return {
    views: agreeing,
    trouble: isDissent ? `a node has another block ${block} than was read` : trouble,
  };
}

async function halt(
  ctx: WorkerCtx,
  watch: Watch,
  { network, nextBlock, lastHash }: Cursor,
  hash: string,
): Promise<void> {
  const reason = `block ${nextBlock - 1} was ${lastHash} when it was read and is ${hash} now: the chain changed below what counts as final, and deposits that were posted may be gone`;
  if (await updateHalted(ctx.db, { network, nextBlock, reason, now: ctx.now })) {
    watch.trouble.reportHalt(ctx.log, reason, 'deposits are halted: nothing is posted');
  }
}
