import { Type } from 'typebox';
import type { Ctx } from '#context';
import { alsoFor } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { closed, dateTime, uuid } from '#platform/http/schemas';
import { makeSignInLink } from './make-sign-in-link.ts';

export const sessionCommands = [
  defineCommand({
    name: 'users.sign-in-link',
    summary: 'Create a link that signs a user in to their pages; it works once, for five minutes.',
    changes: true,
    roles: alsoFor('sign-in'),
    stepUp: true,
    input: Type.Object(
      {
        userId: uuid,
        returnTo: Type.Optional(
          Type.String({
            maxLength: 200,
            description: 'The page to open: the `return_to` that your login received, or `/connect/apps`',
          }),
        ),
      },
      closed,
    ),
    output: Type.Object({
      url: Type.String({ description: 'Shown only once; redirect the browser to it.' }),
      expiresAt: dateTime,
    }),
    run: (ctx: Ctx, input) => makeSignInLink(ctx, input),
  }),
];
