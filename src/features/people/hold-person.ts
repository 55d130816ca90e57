import type { Ctx } from '#context';
import { personErrors } from './errors.ts';
import { lockPeople, type PersonRow } from './queries/people.ts';

/**
 * Locks a person whose rights change. Nobody changes their own, and a person who was just removed changes
 * nobody's: so two administrators cannot remove each other, and one always remains.
 */
export async function holdPerson({ db, actor }: Ctx, personId: string): Promise<PersonRow> {
  const ownId = actor.kind === 'operator' ? actor.personId : undefined;
  if (ownId === personId.toLowerCase()) throw personErrors.ownRights();
  const people = await lockPeople(db, ownId === undefined ? [personId] : [ownId, personId]);
  if (ownId !== undefined && !people.some(({ id }) => id === ownId)) throw personErrors.notSignedIn();
  const person = people.find(({ id }) => id === personId.toLowerCase());
  if (!person) throw personErrors.personNotFound();
  return person;
}
