import type { Ctx } from '#context';
import { invitePerson, listPeople, type NewPerson } from '#features/people';
import { partnerIds } from './partners.ts';

/** They sign in by the links of the banner. */
const staff = {
  operator: { name: 'Olga Martins', email: 'olga.martins@example.com', role: 'admin' },
  partner: {
    name: 'Paulo Nunes',
    email: 'paulo.nunes@example.com',
    role: 'owner',
    partnerId: partnerIds.main,
  },
} as const satisfies Record<string, Partial<NewPerson>>;

export type DemoStaff = keyof typeof staff;

/** A member of the demo staff; their id. */
export async function keepOrInvite(ctx: Ctx, who: DemoStaff): Promise<string> {
  const { email } = staff[who];
  const { items } = await listPeople(ctx, { limit: 200 });
  const known = items.find((one) => one.email === email && one.kind === who && !one.removedAt);
  return known?.id ?? (await invitePerson(ctx, staff[who])).person.id;
}
