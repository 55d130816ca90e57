import type { EvmNetwork } from '#adapters/evm';
import type { Ctx } from '#context';
import { unexplainedName } from '../names.ts';
import { type AssetRow, addTotals, type Position } from '../queries.ts';
import { postingsInPiece } from '../timing.ts';
import { addPostings, selectNewestPosting, selectOpening } from './queries.ts';

/**
 * Adds what was posted since the last comparison, in batches. What the ledger owes at the end must be what it
 * owed before plus what was posted; any other figure is unexplained.
 */
export async function readPostings(
  { db, now }: Ctx,
  { name }: EvmNetwork,
  position: Position | undefined,
  assets: ReadonlyMap<string, AssetRow>,
): Promise<{ posting: bigint; openingPosting: bigint }> {
  if (!position) {
    const { posting, owed } = await selectOpening(db, name, now);
    for (const asset of assets.values()) asset.owed = owed.get(asset.currency) ?? 0n;
    const opening = { name: 'opening', count: 0 };
    await addTotals(
      db,
      name,
      [...assets.values()].map(({ currency, owed }) => ({ ...opening, currency, amount: -owed })),
    );
    return { posting, openingPosting: posting };
  }
  const newest = await selectNewestPosting(db);
  let { posting } = position;
  for (let isLast = false; !isLast; ) {
    isLast = newest - posting <= postingsInPiece;
    const upto = isLast ? undefined : posting + BigInt(postingsInPiece);
    const part = await addPostings(db, { network: name, after: posting, upto, now });
    posting = part.posting;
    for (const asset of assets.values()) {
      asset.owed += part.moved.get(asset.currency) ?? 0n;
      if (!isLast) continue;
      const drift = (part.owed.get(asset.currency) ?? 0n) - asset.owed;
      asset.owed += drift;
      const total = { currency: asset.currency, name: unexplainedName, amount: -drift, count: 1 };
      if (drift !== 0n) await addTotals(db, name, [total]);
    }
  }
  return { posting, openingPosting: position.openingPosting };
}
