import type { Ctx } from '#context';
import { invitePerson, listPeople } from '#features/people';

/** Signs in by the link of the banner. */
const operator = { name: 'Olga Martins', email: 'olga.martins@example.com', role: 'admin' };

/** The demo operator of the console; their id. */
export async function keepOrInviteOperator(ctx: Ctx): Promise<string> {
  const { items } = await listPeople(ctx, { limit: 200 });
  const known = items.find(
    ({ email, kind, removedAt }) => email === operator.email && kind === 'operator' && !removedAt,
  );
  return known?.id ?? (await invitePerson(ctx, operator)).person.id;
}
