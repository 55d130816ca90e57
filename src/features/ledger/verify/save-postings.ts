import type { Ctx } from '#context';
import { hourMs } from '#platform/values/duration';
import { saveCheckedPosting } from './checkpoint.ts';
import { selectPostingBefore } from './queries/checks.ts';
import { noPlace } from './queries/lists.ts';

/** Ids are given before the commit, so a lower one may appear later; no posting stays open for that long. */
const settledAfterMs = hourMs;

/**
 * Stores that the postings after `from` up to `upto`, or to the last one, were found right, unless some
 * before `from` were never checked.
 */
export async function savePostings(
  ctx: Ctx,
  { checked, from, upto }: { checked: bigint | undefined; from: bigint; upto: bigint | null },
): Promise<void> {
  if (from !== noPlace.number && (checked === undefined || checked < from)) return;
  const before = new Date(ctx.now.getTime() - settledAfterMs);
  const last = await selectPostingBefore(ctx.db, upto, before);
  // A check from the first posting on replaces what was stored, also by less.
  const isFurther = checked === undefined || from === noPlace.number || (last !== null && last > checked);
  if (last !== null && isFurther) await saveCheckedPosting(ctx, last);
}
