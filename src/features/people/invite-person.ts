import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { integrationErrors, selectIntegration } from '#features/connect/integrations';
import { partnerErrors, partnerExists } from '#features/partners';
import { normalizeEmail, userErrors } from '#features/users';
import { personErrors } from './errors.ts';
import { makeInvitation } from './make-invitation.ts';
import { insertPerson } from './queries/people.ts';
import { type PersonKind, staffRoles } from './staff-roles.ts';
import { type Invited, presentPerson } from './wire.ts';

export interface NewPerson {
  name: string;
  email: string;
  role: string;
  /** Without one of these, the person belongs to the operator. */
  partnerId?: string;
  integrationId?: string;
}

/**
 * Adds a person and makes their invitation.
 * @example
 * const { url } = await invitePerson(ctx, { name: 'Ana Ribeiro', email: 'ana@example.com', role: 'admin' });
 */
export function invitePerson(ctx: Ctx, input: NewPerson): Promise<Invited> {
  return inTransaction(ctx, async (ctx) => addPerson(ctx, { ...input, kind: await kindOf(ctx, input) }));
}

/** The same in the caller's transaction, for an employer that exists. */
export async function addPerson(
  ctx: Ctx,
  { kind, name, role, partnerId, integrationId, ...input }: Employed,
): Promise<Invited> {
  if (!staffRoles[kind].includes(role)) throw personErrors.wrongRole();
  const email = normalizeEmail(input.email);
  if (email === undefined) throw userErrors.invalidEmail();
  const row = await insertPerson(ctx.db, {
    kind,
    partnerId: partnerId ?? null,
    integrationId: integrationId ?? null,
    role,
    name,
    email,
    createdAt: ctx.now,
  });
  if (!row) throw personErrors.personExists();
  const person = presentPerson(row);
  const invitation = await makeInvitation(ctx, row.id);
  const after = { ...person, expiresAt: invitation.expiresAt };
  await recordChange(ctx, { action: 'people.invite', subject: `person:${row.id}`, after });
  return { person, ...invitation };
}

interface Employed extends Pick<NewPerson, 'name' | 'email' | 'role'> {
  kind: PersonKind;
  partnerId?: string | null;
  integrationId?: string | null;
}

async function kindOf(ctx: Ctx, { partnerId, integrationId }: NewPerson): Promise<PersonKind> {
  if (partnerId !== undefined && integrationId !== undefined) throw personErrors.oneEmployer();
  if (partnerId !== undefined) {
    if (!(await partnerExists(ctx.db, partnerId))) throw partnerErrors.partnerNotFound();
    return 'partner';
  }
  if (integrationId === undefined) return 'operator';
  if (!(await selectIntegration(ctx.db, integrationId))) throw integrationErrors.integrationNotFound();
  return 'integration';
}
