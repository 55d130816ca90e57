import { type Ctx, inTransaction, type PersonActor } from '#context';
import { personErrors } from './errors.ts';
import { addPerson, type NewPerson } from './invite-person.ts';
import { listPeople } from './list-people.ts';
import { lockPeople, type PersonRow } from './queries/people.ts';
import type { Invited } from './wire.ts';

/** Owners manage the team of their partner or integration. The operator's staff have commands for it. */
export function requireOwner({ kind, role }: PersonRow): void {
  if (kind === 'operator' || role !== 'owner') throw personErrors.notOwner();
}

export const isColleague = (one: PersonRow, other: PersonRow): boolean =>
  one.kind === other.kind && one.partnerId === other.partnerId && one.integrationId === other.integrationId;

/** Who acts, locked: somebody who is being removed or changed at this moment does nothing. */
export async function holdOwnPerson({ db, actor }: Ctx<PersonActor>): Promise<PersonRow> {
  const [own] = await lockPeople(db, [actor.personId]);
  if (!own) throw personErrors.notSignedIn();
  return own;
}

/** Invites somebody to the owner's own team. */
export function inviteColleague(
  ctx: Ctx<PersonActor>,
  input: Pick<NewPerson, 'name' | 'email' | 'role'>,
): Promise<Invited> {
  return inTransaction(ctx, async (ctx) => {
    const own = await holdOwnPerson(ctx);
    requireOwner(own);
    const { kind, partnerId, integrationId } = own;
    return addPerson(ctx, { ...input, kind, partnerId, integrationId });
  });
}

/** The team of a person at a partner or an integration. */
export function listColleagues(
  ctx: Ctx<PersonActor>,
  own: PersonRow,
  page: { limit?: number; cursor?: string },
) {
  if (own.kind === 'operator') throw personErrors.notOwner();
  const { partnerId, integrationId } = own;
  return listPeople(ctx, {
    ...page,
    ...(partnerId && { partnerId }),
    ...(integrationId && { integrationId }),
  });
}
