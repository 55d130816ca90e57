import { type Ctx, inTransaction } from '#context';
import type { Db } from '#platform/db/db';
import {
  type ChainEnd,
  checkChainPart,
  freezeView,
  selectChainBefore,
  selectChainHead,
  selectChainStart,
} from './queries.ts';

export interface ChainVerdict {
  rows: number;
  intact: boolean;
  /** The first rows whose content or position does not match their hash. */
  broken: string[];
}

const namedMax = 20;

/**
 * Recomputes the hash chain and lists rows that were changed, removed or added outside the log. In batches,
 * at 13 µs a row, so that no statement comes near the timeout however long the log is.
 */
export function verifyChain(ctx: Ctx, rowsAtOnce = 50_000): Promise<ChainVerdict> {
  return verifyFrom(ctx, selectChainStart, rowsAtOnce);
}

/** The same for the newest rows only, for checks that must be quick. */
export function verifyNewest(ctx: Ctx, count: number): Promise<ChainVerdict> {
  return verifyFrom(ctx, (db) => selectChainBefore(db, count), count);
}

function verifyFrom(
  ctx: Ctx,
  start: (db: Db) => Promise<ChainEnd>,
  rowsAtOnce: number,
): Promise<ChainVerdict> {
  return inTransaction(ctx, async ({ db }) => {
    await freezeView(db);
    const broken: string[] = [];
    let end = await start(db);
    let rows = 0;
    for (let part = await checkChainPart(db, end, rowsAtOnce); part.rows > 0; ) {
      rows += part.rows;
      broken.push(...part.broken.slice(0, namedMax - broken.length));
      end = part.end;
      part = await checkChainPart(db, end, rowsAtOnce);
    }
    const head = await selectChainHead(db);
    const endsAtHead = head.id === end.id && head.hash.equals(end.hash);
    if (!endsAtHead && broken.length === 0) broken.push('the newest rows were removed or rewritten');
    return { rows, intact: broken.length === 0, broken };
  });
}
