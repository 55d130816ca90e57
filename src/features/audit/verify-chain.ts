import { type Ctx, inTransaction } from '#context';
import type { Db } from '#platform/db/db';
import { freezeView } from '#platform/db/freeze-view';
import {
  type ChainEnd,
  type ChainStart,
  checkLogPart,
  selectBeforeNewest,
  selectChainHeads,
} from './queries.ts';

export interface ChainVerdict {
  rows: number;
  intact: boolean;
  /** The first rows whose content or position does not match their hash. */
  broken: string[];
}

const namedMax = 20;

/**
 * Recomputes the hash chains and lists rows that were changed, removed or added outside the log. In batches,
 * at 13 µs a row, so that no statement comes near the timeout however long the log is.
 */
export function verifyChain(ctx: Ctx, rowsAtOnce = 50_000): Promise<ChainVerdict> {
  return verifyFrom(ctx, async () => ({ afterId: '0', starts: [] }), rowsAtOnce);
}

/** The same for the newest rows only, for checks that must be quick. */
export function verifyNewest(ctx: Ctx, count: number): Promise<ChainVerdict> {
  return verifyFrom(ctx, (db) => selectBeforeNewest(db, count), count);
}

function verifyFrom(
  ctx: Ctx,
  start: (db: Db) => Promise<{ afterId: string; starts: readonly ChainStart[] }>,
  rowsAtOnce: number,
): Promise<ChainVerdict> {
  return inTransaction(ctx, async ({ db }) => {
    await freezeView(db);
    const broken: string[] = [];
    const started = await start(db);
    const ends = new Map(started.starts.map((end) => [end.chain, end]));
    let [rows, afterId] = [0, started.afterId];
    for (;;) {
      const part = await checkLogPart(db, { afterId, starts: [...ends.values()] }, rowsAtOnce);
      if (part.rows === 0) break;
      rows += part.rows;
      broken.push(...part.broken.slice(0, namedMax - broken.length));
      for (const end of part.ends) ends.set(end.chain, end);
      afterId = part.id;
    }
    const heads = await selectChainHeads(db);
    if (!endAtHeads(ends, heads) && broken.length === 0)
      broken.push('the newest rows were removed or rewritten');
    return { rows, intact: broken.length === 0, broken };
  });
}

/** Every chain ends at its head, and no chain is without one. */
function endAtHeads(ends: ReadonlyMap<number, ChainStart>, heads: readonly ChainEnd[]): boolean {
  const headed = new Set(heads.map(({ chain }) => chain));
  return (
    [...ends.keys()].every((chain) => headed.has(chain)) &&
    heads.every(({ chain, id, hash }) => {
      const end = ends.get(chain);
      return end ? end.id === id && end.hash?.equals(hash) : id === '0';
    })
  );
}
