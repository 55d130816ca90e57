import type { Ctx, PartnerAdmin } from '#context';
import { selectUserAccess, type UserAccess } from '#features/partners';
import { uuidForm } from '#platform/http/schemas';
import { withdrawalErrors } from './errors.ts';

/** Refuses an unknown user, then one who is not on the partner's list. `known` was read with the key. */
export async function requireAllowedUser(
  ctx: Ctx<PartnerAdmin>,
  userId: string,
  known?: UserAccess,
): Promise<void> {
  const id = userId.toLowerCase();
  if (!uuidForm.test(id)) throw withdrawalErrors.userNotFound();
  const access = known ?? (await selectUserAccess(ctx.db, ctx.actor.partnerId, id));
  if (access === 'unknown') throw withdrawalErrors.userNotFound();
  if (access === 'refused') throw withdrawalErrors.userNotAllowed();
}
