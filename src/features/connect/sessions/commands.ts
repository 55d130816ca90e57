import { Type } from 'typebox';
import type { Ctx } from '#context';
import { defineCommand } from '#platform/commands/command';
import { dateTime, uuid } from '#platform/http/schemas';
import { makeSignInLink } from './make-sign-in-link.ts';

export const sessionCommands = [
  defineCommand({
    name: 'users.sign-in-link',
    summary: 'Make a link that signs a user in to their pages, once and within five minutes.',
    changes: true,
    input: Type.Object(
      {
        userId: uuid,
        returnTo: Type.Optional(
          Type.String({
            maxLength: 200,
            description: 'The page it leads to: a `return_to` as your login got it, or `/connect/apps`',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      url: Type.String({ description: 'Shown this once; send the browser there.' }),
      expiresAt: dateTime,
    }),
    run: (ctx: Ctx, input) => makeSignInLink(ctx, input),
  }),
];
