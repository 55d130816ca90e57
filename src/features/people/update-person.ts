import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { personErrors } from './errors.ts';
import { holdPerson } from './hold-person.ts';
import { updatePersonRole } from './queries/people.ts';
import { staffRoles } from './staff-roles.ts';
import { type PersonView, presentPerson } from './wire.ts';

/** Changes a person's role, from their next request on. */
export function updatePerson(
  ctx: Ctx,
  { personId, role }: { personId: string; role: string },
): Promise<PersonView> {
  return inTransaction(ctx, async (ctx) => {
    const row = await holdPerson(ctx, personId);
    if (!staffRoles[row.kind].includes(role)) throw personErrors.wrongRole();
    const after = presentPerson({ ...row, role });
    if (row.role === role) return after;
    await updatePersonRole(ctx.db, row.id, role);
    await recordChange(ctx, {
      action: 'people.update',
      subject: `person:${row.id}`,
      before: { role: row.role },
      after: { role },
    });
    return after;
  });
}
