import type { Db } from '#platform/db/db';
import { type Outcome, ok, problem, warning } from '../outcome.ts';
import { selectClock } from '../queries.ts';

/** How far clocks may differ before ages, expiries and the order of the audit log become misleading. */
const skewMaxMs = { ok: 1_000, warning: 30_000 };

/** How far a database's clock is ahead of ours. Within the time of the call, the difference is unknown. */
export async function skewOf(db: Db, clockMs: () => number): Promise<number> {
  const before = clockMs();
  const theirs = await selectClock(db);
  const after = clockMs();
  return theirs < before ? theirs - before : Math.max(0, theirs - after);
}

export function describeSkew(skewMs: number): Outcome {
  if (Math.abs(skewMs) <= skewMaxMs.ok) return ok('The same as ours, to a second');
  const seen = `${(Math.abs(skewMs) / 1_000).toFixed(1)} s ${skewMs < 0 ? 'behind' : 'ahead of'} ours`;
  const advice = 'Synchronise the clocks of both machines, such as with chrony.';
  return Math.abs(skewMs) > skewMaxMs.warning ? problem(seen, advice) : warning(seen, advice);
}
