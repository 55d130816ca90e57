import { Type } from 'typebox';
import type { Ctx } from '../context.ts';
import { defineCommand } from '../platform/command.ts';
import { line, uuid } from '../platform/schemas.ts';
import { allowUser, disallowUser } from './allow-user.ts';
import { createPartner } from './create-partner.ts';

const pair = Type.Object({ partnerId: uuid, userId: uuid }, { additionalProperties: false });
const membership = Type.Object({ partnerId: uuid, userId: uuid, allowed: Type.Boolean() });

export const partnerCommands = [
  defineCommand({
    name: 'partners.create',
    summary: 'Create a partner.',
    changes: true,
    input: Type.Object({ name: line(200) }, { additionalProperties: false }),
    output: Type.Object({ id: uuid, name: Type.String(), createdAt: Type.String({ format: 'date-time' }) }),
    run: (ctx: Ctx, input) => createPartner(ctx, input),
  }),
  defineCommand({
    name: 'partners.allow-user',
    summary: "Put a user on the partner's allowed list.",
    changes: true,
    input: pair,
    output: membership,
    run: (ctx: Ctx, input) => allowUser(ctx, input),
  }),
  defineCommand({
    name: 'partners.disallow-user',
    summary: "Take a user off the partner's allowed list.",
    changes: true,
    input: pair,
    output: membership,
    run: (ctx: Ctx, input) => disallowUser(ctx, input),
  }),
];
