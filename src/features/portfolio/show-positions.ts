import type { Ctx } from '#context';
import { userErrors, userExists } from '#features/users';
import type { Position } from './position.ts';
import { type Snapshot, selectSnapshot } from './queries.ts';

/** What is known of what a user has elsewhere; undefined where nothing was ever recorded. */
export async function showPositions(
  ctx: Ctx,
  { userId }: { userId: string },
): Promise<(Snapshot & { positions: Position[] }) | undefined> {
  if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
  return selectSnapshot(ctx.db, userId);
}
