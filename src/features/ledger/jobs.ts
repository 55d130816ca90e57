import type { Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { foldHouseChanges } from './queries/house-changes.ts';
import { fillKinds, selectKindsQueue } from './queries/kinds.ts';

/** In parts, each of which ends well within the time of a statement; few are left to the next turn. */
async function foldAll({ db }: Deps): Promise<void> {
  for (let turns = 0; turns < 50 && (await foldHouseChanges(db)) > 1_000; turns++);
}

/**
 * Writes what counting nodes have of each kind of line, so that filters of long ledgers need not count lines.
 * A part holds the ledger of one user, on a busy machine for up to a tenth of a second. Returns how many
 * parts it did. A ledger that fails is left to the next turn.
 */
export async function fillAllKinds({ db, log }: Pick<Deps, 'db' | 'log'>, partsMax = 200): Promise<number> {
  let parts = 0;
  for (const listId of await selectKindsQueue(db, partsMax)) {
    try {
      let hasMore = true;
      for (; hasMore && parts < partsMax; parts++) {
        hasMore = (await fillKinds(db, listId, kindsInPart)) >= kindsInPart;
      }
    } catch (error) {
      log.warn({ err: error, listId: String(listId) }, 'kinds of lines of a ledger were not written');
    }
  }
  return parts;
}

const kindsInPart = 128;

export const ledgerJobs: readonly Job<Deps>[] = [
  { name: 'ledger.fold-house', everyMs: 5_000, run: foldAll },
  { name: 'ledger.fill-kinds', everyMs: 5_000, run: fillAllKinds },
];
