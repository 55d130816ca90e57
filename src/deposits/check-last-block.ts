import { lookAtNodes, type NodeLook, type NodeLooks } from './look-at-nodes.ts';
import { type Cursor, updateHalted } from './queries.ts';
import type { Watch, WorkerCtx } from './watch.ts';

/** The block whose hash the cursor has; undefined where an operator has put it there. */
export const lastBlockOf = ({ nextBlock, lastHash }: Cursor) =>
  lastHash === null ? undefined : nextBlock - 1;

/**
 * The nodes that have the last block that was read, as it was read: what they have after it continues what was posted. Where there
 * is none, nothing is read; and where there is none because they have another block there, the network is halted until an operator
 * has looked, since what was posted may no longer be on chain. Enough nodes for the quorum must say so.
 */
export async function checkLastBlock(
  ctx: WorkerCtx,
  watch: Watch,
  cursor: Cursor,
  { looks, trouble }: NodeLooks,
): Promise<NodeLooks> {
  const block = lastBlockOf(cursor);
  if (block === undefined) return { looks, trouble };
  const agreeing = looks.filter(({ hash }) => hash === cursor.lastHash);
  const isOther = ({ hash }: NodeLook) => hash !== undefined && hash !== cursor.lastHash;
  if (agreeing.length === 0 && looks.some(isOther)) {
    // One answer may be wrong; halting needs a person, so every node is asked again.
    const again = (await lookAtNodes(watch, block)).looks;
    const others = again.filter(isOther);
    const isEnough = others.length >= watch.network.node.quorum;
    if (isEnough && again.every((look) => look.hash === undefined || isOther(look))) {
      await halt(ctx, watch, cursor, others[0]!.hash!);
    }
    return { looks: [], trouble: watch.trouble };
  }
  // A node that lacks the block is behind, and one that is away is weather. Neither says that the block is gone.
  if (agreeing.length === 0 && looks.length > 0) {
    return { looks: [], trouble: `no node has block ${block}, which was read already` };
  }
  const isDissent = looks.some(isOther);
  return {
    looks: agreeing,
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
    watch.trouble = reason;
    ctx.log.error({ network, reason }, 'deposits are halted: nothing is posted');
  }
}
