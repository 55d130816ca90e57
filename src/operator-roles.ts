import { defineErrors, type Refusal } from '#platform/errors/errors';

/** What each role is for. An administrator may run every command; the others are named by the commands. */
export const operatorRoles = {
  viewer: 'reads everything, changes nothing',
  support: 'users, consents, cards, and tests and replays of webhooks',
  treasury: 'wallets, deposits, the treasury, prices, and cancelling withdrawals',
  compliance: 'blocked addresses, suspensions, and cancelling withdrawals',
  admin: 'every command',
  'sign-in': 'makes sign-in links for users; for the machine of your login, never for a person',
} as const;

export type OperatorRole = keyof typeof operatorRoles;

export const isOperatorRole = (text: string): text is OperatorRole => Object.hasOwn(operatorRoles, text);

/** For commands that only read and answer no secret. */
export const everyone: readonly OperatorRole[] = ['viewer', 'support', 'treasury', 'compliance'];

/** For commands that create money, grant access, or change what holds for everybody. */
export const adminOnly: readonly OperatorRole[] = [];

/** Roles that may run a command, besides administrators. */
export const alsoFor = (...roles: readonly OperatorRole[]) => roles;

export const mayRun = (role: OperatorRole, command: { roles: readonly string[] }): boolean =>
  role === 'admin' || command.roles.includes(role);

const roleErrors = defineErrors({ roleRefused: [403, 'The role may not run this command'] });

export const refuseRole = (role: OperatorRole, name: string): Refusal =>
  roleErrors.roleRefused({ message: `The role ${role} may not run ${name}` });
