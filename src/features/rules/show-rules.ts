import type { Ctx } from '#context';
import { ruleErrors } from './errors.ts';
import { selectCurrentSet, selectSet } from './queries/sets.ts';
import { presentSet, type RuleSetView } from './wire.ts';

/** The published set, or that of a revision; null if no set is published. */
export async function showRules(
  { db }: Ctx,
  { revision }: { revision?: number },
): Promise<RuleSetView | null> {
  const row = revision === undefined ? await selectCurrentSet(db) : await selectSet(db, revision);
  if (!row && revision !== undefined) throw ruleErrors.setNotFound();
  return row ? presentSet(row) : null;
}
