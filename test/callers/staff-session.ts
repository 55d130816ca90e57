import { inTransaction } from '#context';
import { contextOf } from '#features/people';
import { csrfTokenOf } from '#platform/pages/csrf';
import { type Harness, noteSecret } from '#test/harness';
import { makePerson } from '#test/worlds/people';
import { beginSession } from '../../src/features/people/session.ts';

/** A person with a session that began just now, and the headers of a page of this session. */
export async function signInStaff(harness: Harness, given: Parameters<typeof makePerson>[1]) {
  const person = await makePerson(harness, given);
  const ctx = contextOf(harness.deps, person.id, harness.deps.log);
  const { sessionSecret } = await inTransaction(ctx, (ctx) => beginSession(ctx, undefined));
  const headers: Record<string, string> = {
    cookie: `causeway_person=${noteSecret(sessionSecret)}`,
    'x-csrf-token': noteSecret(csrfTokenOf(sessionSecret)),
  };
  return { person, headers };
}
