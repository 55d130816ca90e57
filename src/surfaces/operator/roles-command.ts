import { Type } from 'typebox';
import type { Ctx } from '#context';
import { everyone, mayRun, type OperatorRole, operatorRoles } from '#operator-roles';
import { type Command, defineCommand } from '#platform/commands/command';
import { closed } from '#platform/http/schemas';

const roles = Object.keys(operatorRoles) as OperatorRole[];

/** The commands, with one more that shows who may run which, by what the guard of the routes applies. */
export function withRolesCommand(commands: readonly Command<Ctx>[]): Command<Ctx>[] {
  const command: Command<Ctx> = defineCommand({
    name: 'roles.show',
    summary: 'Show which role may run which command.',
    changes: false,
    roles: everyone,
    columns: ['command', ...roles],
    input: Type.Object({}, closed),
    output: Type.Object({
      items: Type.Array(
        Type.Object({
          command: Type.String(),
          ...(Object.fromEntries(roles.map((role) => [role, Type.Boolean()])) as Record<
            OperatorRole,
            ReturnType<typeof Type.Boolean>
          >),
        }),
      ),
      roles: Type.Array(Type.Object({ role: Type.String(), meaning: Type.String() })),
    }),
    run: async (_ctx: Ctx) => ({
      items: [...commands, command].map((one) => ({ command: one.name, ...rowOf(one) })),
      roles: roles.map((role) => ({ role, meaning: operatorRoles[role] })),
    }),
  });
  return [...commands, command];
}

const rowOf = (command: Command<Ctx>) =>
  Object.fromEntries(roles.map((role) => [role, mayRun(role, command)])) as Record<OperatorRole, boolean>;
