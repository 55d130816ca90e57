import { Type } from 'typebox';
import type { Ctx } from '#context';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { dateTime, line, uuid } from '#platform/http/schemas';
import { issueKey } from './issue-key.ts';
import { listKeys } from './list-keys.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { key, scope } from './wire.ts';

const keyId = Type.String({ pattern: '^[a-z2-7]{16}$', description: 'The 16 characters after `cwk_`' });
const issuedKey = Type.Object({
  ...key.properties,
  token: Type.String({ description: 'Shown only once; we store only its hash.' }),
});

export const keyCommands = [
  defineCommand({
    name: 'keys.issue',
    summary: 'Issue a key to a partner, owned by a user; the token is shown once.',
    changes: true,
    input: Type.Object(
      {
        name: line(100),
        partnerId: uuid,
        userId: uuid,
        scopes: Type.Optional(Type.Array(scope, { maxItems: 10 })),
        ipAllowlist: Type.Optional(
          Type.Array(Type.String({ maxLength: 50 }), {
            maxItems: 100,
            description: 'Addresses or CIDR blocks',
          }),
        ),
        expiresAt: Type.Optional(dateTime),
      },
      { additionalProperties: false },
    ),
    output: issuedKey,
    run: (ctx: Ctx, input) => issueKey(ctx, input),
  }),
  defineCommand({
    name: 'keys.rotate',
    summary: 'Replace a key; the old one works until the overlap ends.',
    changes: true,
    input: Type.Object(
      {
        keyId,
        overlapHours: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 720,
            description: 'How long the old key keeps working (default 24)',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    output: issuedKey,
    run: (ctx: Ctx, input) => rotateKey(ctx, input),
  }),
  defineCommand({
    name: 'keys.revoke',
    summary: 'Revoke a key immediately.',
    changes: true,
    input: Type.Object({ keyId }, { additionalProperties: false }),
    output: key,
    run: (ctx: Ctx, input) => revokeKey(ctx, input),
  }),
  defineCommand({
    name: 'keys.list',
    summary: 'List keys, without their secrets.',
    changes: false,
    input: Type.Object(
      { partnerId: Type.Optional(uuid), userId: Type.Optional(uuid), ...cursorInput },
      { additionalProperties: false },
    ),
    output: cursorPage(key),
    run: (ctx: Ctx, input) => listKeys(ctx, input),
  }),
];
