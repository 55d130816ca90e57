import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { responsibleFor, stillCounts } from '#features/people';
import { isOperatorRole, mayRun } from '#operator-roles';
import { ruleErrors } from './errors.ts';
import { operatorName, ruleMakers } from './operator-name.ts';
import { countPast, countRest } from './queries/past.ts';
import { lockPublications, lockRules, selectCurrentSet, selectSet, updateCurrent } from './queries/sets.ts';
import { selectionOf } from './to-columns.ts';
import { presentSet, type RuleSetView } from './wire.ts';

/**
 * Applies a draft to every withdrawal from its commit on, and to those that are not signed yet. Limits count
 * the payments of the last 30 days.
 */
export function publishRules(ctx: Ctx, { revision }: { revision: number }): Promise<RuleSetView> {
  return inTransaction(ctx, async (ctx) => {
    const { db, now } = ctx;
    await lockPublications(db);
    const draft = await selectSet(db, revision);
    if (!draft) throw ruleErrors.setNotFound();
    if (draft.publishedAt) throw ruleErrors.alreadyPublished();
    const by = operatorName(ctx);
    if (responsibleFor(draft.draftedBy) === responsibleFor(by)) throw ruleErrors.sameOperator();
    const { draftedBy: name, draftedAt: at } = draft;
    const mayAct = (role: string) => isOperatorRole(role) && mayRun(role, { roles: ruleMakers });
    if (!(await stillCounts(db, { name, at, mayAct }))) throw ruleErrors.drafterGone();
    const before = await selectCurrentSet(db);
    if (before && before.revision > revision) throw ruleErrors.isOutdated();
    const known = new Set(before?.document.map(selectionOf));
    const fresh = [...new Set(draft.document.map(selectionOf))].filter(
      (one) => one !== null && !known.has(one),
    ) as string[];
    if (fresh.length > 0) await countPast(db, revision, fresh);
    await lockRules(db);
    if (fresh.length > 0) await countRest(db, revision, fresh);
    const published = presentSet(await updateCurrent(db, { revision, by, now }));
    await recordChange(ctx, {
      action: 'rules.publish',
      subject: `rules:${revision}`,
      before: before ? presentSet(before) : null,
      after: published,
    });
    return published;
  });
}
