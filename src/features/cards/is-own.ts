import type { Ctx } from '#context';

/** Whoever acts by a key acts for its owner, whatever a surface may pass on. */
export function isOwn({ actor }: Ctx, userId: string): boolean {
  return actor.kind !== 'key' || actor.userId === userId;
}
