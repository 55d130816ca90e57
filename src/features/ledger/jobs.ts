import type { Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { fillKinds, foldHouseChanges, selectKindsQueue } from './queries.ts';

/** In parts, each of which ends well within the time of a statement; few are left to the next turn. */
async function foldAll({ db }: Deps): Promise<void> {
  for (let turns = 0; turns < 50 && (await foldHouseChanges(db)) > 1_000; turns++);
}

/**
 * Writes what counting nodes have of each kind of line, so that filters of long ledgers need not count lines.
 * A part holds the ledger of one user for some ten milliseconds. Returns how many parts it did.
 */
export async function fillAllKinds({ db }: Deps, partsMax = 200): Promise<number> {
  let parts = 0;
  for (const listId of await selectKindsQueue(db, partsMax)) {
    let hasMore = true;
    for (; hasMore && parts < partsMax; parts++) {
      hasMore = (await fillKinds(db, listId, kindsInPart)) === kindsInPart;
    }
  }
  return parts;
}

const kindsInPart = 128;

export const ledgerJobs: readonly Job<Deps>[] = [
  { name: 'ledger.fold-house', everyMs: 5_000, run: foldAll },
  { name: 'ledger.fill-kinds', everyMs: 5_000, run: fillAllKinds },
];
