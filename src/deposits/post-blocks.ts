import { inTransaction } from '../context.ts';
import { postDeposits } from '../ledger/index.ts';
import { selectWallets } from '../users/index.ts';
import { findDeposits } from './find-deposits.ts';
import { type Gathered, gatherTransfers } from './gather-transfers.ts';
import type { NodeLook } from './look-at-nodes.ts';
import { type Cursor, insertDeposits, lockCursor, updateRead } from './queries.ts';
import { walletsInPage } from './timing.ts';
import { adaptSpan, tellTrouble, type Watch, type WorkerCtx } from './watch.ts';

/** From the cursor up to and including a block. */
export interface BlocksToPost {
  cursor: Cursor;
  toBlock: number;
  looks: readonly NodeLook[];
}

/**
 * Reads blocks and posts the deposits in them: how many were new, undefined where nothing was decided. Throws a `NodeError` where
 * no node answered.
 */
export async function postBlocks(
  ctx: WorkerCtx,
  watch: Watch,
  { looks, cursor, toBlock }: BlocksToPost,
): Promise<number | undefined> {
  const { network } = watch;
  const owners = await readOwners(ctx, network.name);
  const gathered = await gatherTransfers(network.node.quorum, looks, {
    tokens: [...network.tokens.values()].map(({ address }) => address),
    recipients: [...owners.keys()],
    fromBlock: cursor.nextBlock,
    toBlock,
  });
  if (gathered.kind === 'disagreed') {
    tellTrouble(ctx, watch, gathered.trouble);
    return undefined;
  }
  adaptSpan(watch, gathered.transfers.length);
  await watch.atStep('read');
  const posted = await post(ctx, watch, cursor, owners, gathered);
  await watch.atStep('commit');
  if (posted) {
    const { nextBlock: fromBlock } = cursor;
    ctx.log.info({ network: network.name, deposits: posted, fromBlock, toBlock }, 'deposits posted');
  }
  return posted;
}

/** Users by the wallet that is theirs. */
async function readOwners(ctx: WorkerCtx, network: string): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  let after: string | undefined;
  for (;;) {
    const page = await selectWallets(ctx.db, network, { after, limit: walletsInPage });
    for (const { address, userId } of page) owners.set(address, userId);
    if (page.length < walletsInPage) return owners;
    after = page.at(-1)!.address;
  }
}

/** Undefined where somebody else has moved the cursor, or halted the network, in the meantime. */
function post(
  ctx: WorkerCtx,
  { network, atStep }: Watch,
  before: Cursor,
  owners: ReadonlyMap<string, string>,
  { end, transfers }: Gathered & { kind: 'agreed' },
): Promise<number | undefined> {
  return inTransaction(ctx, async (ctx) => {
    const cursor = await lockCursor(ctx.db, network.name);
    if (cursor?.nextBlock !== before.nextBlock || cursor.haltedAt !== null) return undefined;
    const deposits = await findDeposits(ctx, network, owners, transfers);
    if (deposits.length > 0) await insertDeposits(ctx.db, network.name, deposits);
    const posted = deposits.length > 0 ? await postDeposits(ctx, deposits) : 0;
    await updateRead(ctx.db, {
      ...{ network: network.name, nextBlock: end.number + 1, posted, now: ctx.now },
      ...{ lastHash: end.hash, lastBlockAt: end.timestamp },
    });
    await atStep('post');
    return posted;
  });
}
