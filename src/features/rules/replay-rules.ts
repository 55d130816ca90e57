import type { Ctx } from '#context';
import { dayMs } from '#platform/values/duration';
import { ruleErrors } from './errors.ts';
import { type ReplayedRow, replaySet, selectSet } from './queries/sets.ts';

export interface Replay {
  revision: number;
  since: string;
  withdrawals: number;
  /** There were more; the newest were taken. */
  isCut: boolean;
  verdicts: ReplayedRow[];
}

const days = 30;

/** What a set would have said about the withdrawals of the last 30 days. Changes nothing. */
export async function replayRules(ctx: Ctx, { revision }: { revision: number }): Promise<Replay> {
  const { db, now } = ctx;
  if (!(await selectSet(db, revision))) throw ruleErrors.setNotFound();
  const since = new Date(now.getTime() - days * dayMs);
  const verdicts = await replaySet(db, { revision, since, most: replayedMax });
  const withdrawals = verdicts.reduce((sum, { count }) => sum + count, 0);
  return { revision, since: since.toISOString(), withdrawals, isCut: withdrawals === replayedMax, verdicts };
}

/** About three seconds. */
export const replayedMax = 5_000;
