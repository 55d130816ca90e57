import type { Db } from '#platform/db/db';
import { selectOperatorStaff } from './queries/people.ts';

/** Before the email in the name of a signed-in member of the staff. No name of a token has a colon. */
const personMark = 'person:';

/**
 * Who answers for what an operator does: `alice@example.com/ci`, a token with an owner, one that is named
 * `alice@example.com`, and Alice by her session are one. Other tokens stand for themselves.
 */
export function responsibleFor(operatorName: string): string {
  const email = emailIn(operatorName);
  return email === undefined ? operatorName : personMark + email;
}

function emailIn(operatorName: string): string | undefined {
  if (operatorName.startsWith(personMark)) return operatorName.slice(personMark.length);
  const at = operatorName.lastIndexOf('/');
  if (at >= 0) return operatorName.slice(0, at);
  return operatorName.includes('@') ? operatorName.toLowerCase() : undefined;
}

/** The member of the staff behind the name of an operator; undefined for a token without one. */
export async function findOperatorPerson(
  db: Db,
  operatorName: string,
): Promise<{ id: string; role: string } | undefined> {
  const email = emailIn(operatorName);
  return email === undefined
    ? undefined
    : (await selectOperatorStaff(db, email)).find((one) => !one.removedAt);
}

/**
 * Whether what an operator asked for at `at` still counts: not if the person was removed or lost the role
 * since. A token stays what the settings say, unless its owner was removed.
 */
export async function stillCounts(
  db: Db,
  { name, at, mayAct }: { name: string; at: Date; mayAct: (role: string) => boolean },
): Promise<boolean> {
  const email = emailIn(name);
  if (email === undefined) return true;
  const rows = await selectOperatorStaff(db, email);
  const person = rows.find(({ removedAt, createdAt }) => !removedAt && createdAt <= at);
  if (name.startsWith(personMark)) return person !== undefined && mayAct(person.role);
  return person !== undefined || rows.length === 0;
}
