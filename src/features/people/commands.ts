import { Type } from 'typebox';
import type { Ctx } from '#context';
import { adminOnly, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { endSessions } from './end-sessions.ts';
import { invitePerson } from './invite-person.ts';
import { listPeople } from './list-people.ts';
import { reinvitePerson } from './reinvite-person.ts';
import { removePerson } from './remove-person.ts';
import { showPerson } from './show-person.ts';
import { allStaffRoles } from './staff-roles.ts';
import { updatePerson } from './update-person.ts';
import { invited, person, presentPerson } from './wire.ts';

const onePerson = Type.Object({ personId: uuid }, closed);
const role = Type.Enum(allStaffRoles, {
  description:
    'For staff of the operator see `roles show`; partners have developer, finance and owner, integrations developer and owner',
});
const employer = {
  partnerId: Type.Optional(Type.String({ ...uuid, description: 'For staff of this partner' })),
  integrationId: Type.Optional(Type.String({ ...uuid, description: 'For staff of this integration' })),
};

export const peopleCommands = [
  defineCommand({
    name: 'people.invite',
    summary: 'Invite a person; the link registers a passkey, once and within 72 hours.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    examples: [`--name 'Ana Ribeiro' --email ana@example.com --role admin`],
    input: Type.Object(
      {
        name: line(200),
        email: Type.String({ minLength: 3, maxLength: 254, description: 'Case-insensitive' }),
        role,
        ...employer,
      },
      closed,
    ),
    output: invited,
    run: (ctx: Ctx, input) => invitePerson(ctx, input),
  }),
  defineCommand({
    name: 'people.reinvite',
    summary:
      'Replace a lost passkey or link: passkeys and sessions of the person end, and a new link is made.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    input: onePerson,
    output: invited,
    run: (ctx: Ctx, input) => reinvitePerson(ctx, input),
  }),
  defineCommand({
    name: 'people.list',
    summary: 'List people, oldest first, with those that were removed.',
    changes: false,
    roles: everyone,
    columns: ['name', 'email', 'role', 'kind', 'canSignIn', 'removedAt', 'id'],
    input: Type.Object({ ...employer, ...cursorInput }, closed),
    output: cursorPage(person),
    run: (ctx: Ctx, input) => listPeople(ctx, input),
  }),
  defineCommand({
    name: 'people.show',
    summary: 'Show a person with passkeys and open sessions.',
    changes: false,
    roles: everyone,
    input: onePerson,
    output: Type.Object({
      person,
      invitationEndsAt: nullable(dateTime, { description: 'If an invitation is open' }),
      passkeys: Type.Array(
        Type.Object({
          createdAt: dateTime,
          lastUsedAt: nullable(dateTime),
          isBackedUp: Type.Boolean({ description: 'Copied between devices by their maker' }),
        }),
      ),
      sessions: Type.Array(
        Type.Object({ id: uuid, createdAt: dateTime, lastSeenAt: dateTime, expiresAt: dateTime }),
      ),
    }),
    run: async (ctx: Ctx, input) => {
      const { person, passkeys, sessions, invitationEndsAt } = await showPerson(ctx, input);
      return {
        person: presentPerson(person),
        invitationEndsAt: invitationEndsAt?.toISOString() ?? null,
        passkeys: passkeys.map(({ createdAt, lastUsedAt, isBackedUp }) => ({
          createdAt: createdAt.toISOString(),
          lastUsedAt: lastUsedAt?.toISOString() ?? null,
          isBackedUp,
        })),
        sessions: sessions.map(({ id, createdAt, lastSeenAt, expiresAt }) => ({
          id,
          createdAt: createdAt.toISOString(),
          lastSeenAt: lastSeenAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
        })),
      };
    },
  }),
  defineCommand({
    name: 'people.update',
    summary: 'Change the role of a person, from their next request on.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    examples: ['0198a6a0-0000-7000-8000-000000000001 --role treasury'],
    input: Type.Object({ personId: uuid, role }, closed),
    output: person,
    run: (ctx: Ctx, input) => updatePerson(ctx, input),
  }),
  defineCommand({
    name: 'people.remove',
    summary: 'Remove a person: sessions, passkeys and open invitations end at once.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    input: onePerson,
    output: person,
    run: (ctx: Ctx, input) => removePerson(ctx, input),
  }),
  defineCommand({
    name: 'people.end-sessions',
    summary: 'Sign a person out everywhere; the passkeys stay.',
    changes: true,
    roles: adminOnly,
    input: onePerson,
    output: Type.Object({ ended: Type.Integer({ description: 'Sessions that were open' }) }),
    run: (ctx: Ctx, input) => endSessions(ctx, input),
  }),
];
