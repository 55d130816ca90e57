import type { Ctx } from '#context';
import { personErrors } from './errors.ts';
import { isColleague, requireOwner } from './own-team.ts';
import { lockPeople, type PersonRow } from './queries/people.ts';

/**
 * Locks a person whose rights change. Nobody changes their own, and a person who was just removed changes
 * nobody's: so two administrators cannot remove each other, and one always remains. An owner at a partner or
 * an integration reaches the own team only.
 */
export async function holdPerson({ db, actor }: Ctx, personId: string): Promise<PersonRow> {
  const ownId = actor.kind === 'operator' || actor.kind === 'person' ? actor.personId : undefined;
  if (ownId === personId.toLowerCase()) throw personErrors.ownRights();
  const people = await lockPeople(db, ownId === undefined ? [personId] : [ownId, personId]);
  const own = people.find(({ id }) => id === ownId);
  if (ownId !== undefined && !own) throw personErrors.notSignedIn();
  const person = people.find(({ id }) => id === personId.toLowerCase());
  if (actor.kind === 'person') requireOwner(own!);
  if (!person || (actor.kind === 'person' && !isColleague(own!, person))) throw personErrors.personNotFound();
  return person;
}
