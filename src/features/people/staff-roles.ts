import { type OperatorRole, operatorRoles } from '#operator-roles';

export const personKinds = ['operator', 'partner', 'integration'] as const;
export type PersonKind = (typeof personKinds)[number];

/** `sign-in` is for machines. */
const operatorStaff = Object.keys(operatorRoles).filter((role) => role !== 'sign-in');

/** The roles that a person of each kind may have. */
export const staffRoles: Readonly<Record<PersonKind, readonly string[]>> = {
  operator: operatorStaff,
  partner: ['developer', 'finance', 'owner'],
  integration: ['developer', 'owner'],
};

export const allStaffRoles = [...new Set(Object.values(staffRoles).flat())];

/** Only staff of the operator run operator commands. */
export const operatorRoleOf = ({
  kind,
  role,
}: {
  kind: PersonKind;
  role: string;
}): OperatorRole | undefined => (kind === 'operator' ? (role as OperatorRole) : undefined);
