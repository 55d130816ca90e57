import { type Network, readFinalBlock, strictestRule } from '#adapters/evm';
import type { Ctx } from '#context';
import { type Cursor, selectCursors } from './queries.ts';

export interface WatchedNetwork extends Cursor {
  /** Undefined if no node answers or this process does not know the network. */
  finalBlock: number | undefined;
}

/** Every watched network: the last block read and the last final block. */
export async function showDeposits(ctx: Ctx): Promise<WatchedNetwork[]> {
  const cursors = await selectCursors(ctx.db);
  return Promise.all(
    cursors.map(async (cursor) => ({ ...cursor, finalBlock: await readFinal(ctx, cursor.network) })),
  );
}

async function readFinal({ evm }: Ctx, name: string): Promise<number | undefined> {
  const network = evm.get(name as Network);
  if (!network) return undefined;
  const rule = strictestRule(network.finality);
  return readFinalBlock(network.node.pick(), rule).then(
    (block) => block?.number,
    () => undefined,
  );
}
