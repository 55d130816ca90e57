import type { Ctx, PartnerStaffActor } from '#context';
import { holdOwnPerson, personErrors } from '#features/people';

export const bookkeepers = ['finance', 'owner'] as const;

/** A person who keeps the address book, locked: one who loses the role at this moment changes nothing. */
export async function holdBookkeeper(ctx: Ctx<PartnerStaffActor>): Promise<void> {
  const { partnerId, role } = await holdOwnPerson(ctx);
  const isBookkeeper = (bookkeepers as readonly string[]).includes(role);
  if (partnerId !== ctx.actor.partnerId || !isBookkeeper) throw personErrors.otherStaffRole();
}
