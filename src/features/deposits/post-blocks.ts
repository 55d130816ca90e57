import type { EvmNetwork } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { lockFree, postDeposits } from '#features/ledger';
import { selectOwners } from '#features/users';
import { findDeposits } from './find-deposits.ts';
import { type Cursor, insertDeposits, lockCursor, updatePosted, updateRead } from './queries.ts';
import { type Agreement, readAgreedTransfers } from './read-agreed-transfers.ts';
import type { NodeView } from './view-nodes.ts';
import { adaptSpan, type Watch, type WorkerCtx } from './watch.ts';

/** From the cursor up to and including a block. */
export interface BlocksToPost {
  cursor: Cursor;
  toBlock: number;
  views: readonly NodeView[];
}

/**
 * Reads blocks and posts their deposits. Returns how many were new; undefined if nothing was decided. Throws
 * a `NodeError` if no node answers.
 */
export async function postBlocks(
  ctx: WorkerCtx,
  watch: Watch,
  { views, cursor, toBlock }: BlocksToPost,
): Promise<number | undefined> {
  const { network } = watch;
  const agreement = await readBlocks(ctx, network, { views, fromBlock: cursor.nextBlock, toBlock });
  if (agreement.kind === 'disagreed') {
    watch.trouble.report(ctx.log, agreement.trouble);
    return undefined;
  }
  adaptSpan(watch, agreement.transfers.length);
  await watch.atStep('read');
  const done = await post(ctx, watch, cursor, agreement);
  await watch.atStep('commit');
  if (done?.posted) {
    const { nextBlock: fromBlock } = cursor;
    ctx.log.info({ network: network.name, deposits: done.posted, fromBlock, toBlock }, 'deposits posted');
  }
  if (done?.isHeldUp) {
    watch.trouble.report(ctx.log, 'another session holds the lock on the ledger of a user with a deposit');
    return undefined;
  }
  return done?.posted;
}

/** What the nodes say together about transfers to our users. Throws a `NodeError` if no node answers. */
export const readBlocks = (
  { db }: Ctx,
  network: EvmNetwork,
  { views, ...range }: { views: readonly NodeView[]; fromBlock: number; toBlock: number },
): Promise<Agreement> =>
  readAgreedTransfers(network.node.quorum, views, {
    tokens: [...network.tokens.values()].map(({ address }) => address),
    ...range,
    selectOurs: async (addresses) => new Set((await selectOwners(db, network.name, addresses)).keys()),
  });

/**
 * Undefined if another worker moved the cursor or halted the network meanwhile. If a user's ledger is locked,
 * the deposits of the others are posted and the cursor stays: the next turn reads the same blocks and newer
 * ones, and skips what is posted.
 */
function post(
  ctx: WorkerCtx,
  { network, atStep }: Watch,
  before: Cursor,
  { end, transfers }: Agreement & { kind: 'agreed' },
): Promise<{ posted: number; isHeldUp: boolean } | undefined> {
  return inTransaction(ctx, async (ctx) => {
    const cursor = await lockCursor(ctx.db, network.name);
    if (cursor?.nextBlock !== before.nextBlock || cursor.haltedAt !== null) return undefined;
    const { deposits: found, ignored } = await findDeposits(ctx, network, transfers);
    const isFree = await lockFree(ctx.db, found);
    const deposits = found.filter((_, at) => isFree[at]);
    if (deposits.length > 0) await insertDeposits(ctx.db, network.name, deposits);
    const posted = await postDeposits(ctx, deposits);
    const isHeldUp = deposits.length < found.length;
    const done = { network: network.name, posted, now: ctx.now };
    if (isHeldUp) await updatePosted(ctx.db, done);
    else {
      const { number, hash: lastHash, timestamp: lastBlockAt } = end;
      await updateRead(ctx.db, { ...done, nextBlock: number + 1, ignored, lastHash, lastBlockAt });
    }
    await atStep('post');
    return { posted, isHeldUp };
  });
}
