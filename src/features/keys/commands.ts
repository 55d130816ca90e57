import { Type } from 'typebox';
import type { Ctx } from '#context';
import { adminOnly, alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { issueKey } from './issue-key.ts';
import { listKeys } from './list-keys.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { resumeKey, suspendKey } from './suspend-key.ts';
import { updateKey } from './update-key.ts';
import { key, listedKey, overlapHours, scope } from './wire.ts';

const keyId = Type.String({ pattern: '^[a-z2-7]{16}$', description: 'The 16 characters after `cwk_`' });
const issuedKey = Type.Object({
  ...key.properties,
  token: Type.String({ description: 'Shown only once; we store only its hash.' }),
});

const scopes = (otherwise: string) =>
  Type.Array(scope, {
    maxItems: 10,
    description: `What the key may do; if only MCP scopes are listed, the others are ${otherwise}; api:none: no others`,
  });

const terms = {
  ipAllowlist: Type.Array(Type.String({ maxLength: 50 }), {
    maxItems: 100,
    description: 'Addresses or CIDR blocks',
  }),
};

export const keyCommands = [
  defineCommand({
    name: 'keys.issue',
    summary: 'Issue a key to a partner, owned by a user on its allowed list; the token is shown once.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    examples: [
      `0198a6a0-0000-7000-8000-000000000001 0198a6a0-0000-7000-8000-000000000002 --name 'Payouts' --scopes mcp --ip-allowlist 203.0.113.7,198.51.100.0/24 --expires-at 2027-01-31T00:00:00Z`,
    ],
    input: Type.Object(
      {
        name: line(100),
        partnerId: uuid,
        userId: uuid,
        scopes: Type.Optional(scopes('all but partner:admin')),
        ipAllowlist: Type.Optional(terms.ipAllowlist),
        expiresAt: Type.Optional(dateTime),
      },
      closed,
    ),
    output: issuedKey,
    run: (ctx: Ctx, input) => issueKey(ctx, input),
  }),
  defineCommand({
    name: 'keys.rotate',
    summary: 'Replace a key; the old one works until the overlap ends.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    input: Type.Object(
      {
        keyId,
        overlapHours,
      },
      closed,
    ),
    output: issuedKey,
    run: (ctx: Ctx, input) => rotateKey(ctx, input),
  }),
  defineCommand({
    name: 'keys.revoke',
    summary: 'Revoke a key immediately.',
    changes: true,
    roles: adminOnly,
    input: Type.Object({ keyId }, closed),
    output: key,
    run: (ctx: Ctx, input) => revokeKey(ctx, input),
  }),
  defineCommand({
    name: 'keys.suspend',
    summary: 'Suspend a key: it is refused, and unsigned payouts that it made wait.',
    changes: true,
    roles: alsoFor('support', 'compliance'),
    input: Type.Object({ keyId, reason: line(500) }, closed),
    output: key,
    run: (ctx: Ctx, input) => suspendKey(ctx, input),
  }),
  defineCommand({
    name: 'keys.resume',
    summary: 'End the suspension of a key; payouts that waited are paid.',
    changes: true,
    roles: alsoFor('compliance'),
    stepUp: true,
    input: Type.Object({ keyId }, closed),
    output: key,
    run: (ctx: Ctx, input) => resumeKey(ctx, input),
  }),
  defineCommand({
    name: 'keys.update',
    summary: 'Update the name, scopes, addresses or expiry of a key; what is left out stays as it is.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    examples: ['abcdefghijkl2345 --scopes mcp --ip-allowlist 203.0.113.0/24'],
    input: Type.Object(
      {
        keyId,
        name: Type.Optional(line(100)),
        scopes: Type.Optional(scopes('kept')),
        ipAllowlist: Type.Optional(terms.ipAllowlist),
        expiresAt: Type.Optional(
          nullable(dateTime, { description: 'Empty, or null in JSON: it no longer expires' }),
        ),
      },
      { ...closed, minProperties: 2 },
    ),
    output: key,
    run: (ctx: Ctx, input) => updateKey(ctx, input),
  }),
  defineCommand({
    name: 'keys.list',
    summary: 'List keys with their status and last use, without their secrets.',
    changes: false,
    roles: everyone,
    columns: ['status', 'id', 'name', 'lastUsedAt', 'scopes', 'expiresAt', 'userId', 'partnerId'],
    input: Type.Object(
      { partnerId: Type.Optional(uuid), userId: Type.Optional(uuid), ...cursorInput },
      closed,
    ),
    output: cursorPage(listedKey),
    run: (ctx: Ctx, input) => listKeys(ctx, input),
  }),
];
