import type { Ctx } from '#context';

/** A key acts only for its owner, whatever user id the request names. */
export function isOwn({ actor }: Ctx, userId: string): boolean {
  return actor.kind !== 'key' || actor.userId === userId;
}
