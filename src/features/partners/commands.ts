import { Type } from 'typebox';
import type { Ctx } from '#context';
import { adminOnly, alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, line, uuid } from '#platform/http/schemas';
import { allowUser, disallowUser } from './allow-user.ts';
import { createPartner } from './create-partner.ts';
import { listAllowedUsers } from './list-allowed-users.ts';
import { listPartners } from './list-partners.ts';
import { resumePartner, suspendPartner } from './suspend-partner.ts';
import { listedUser, partner } from './wire.ts';

const pair = Type.Object({ partnerId: uuid, userId: uuid }, closed);
const membership = Type.Object({ partnerId: uuid, userId: uuid, allowed: Type.Boolean() });

export const partnerCommands = [
  defineCommand({
    name: 'partners.create',
    summary: 'Create a partner.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    positional: ['name'],
    examples: [`'Lumen Credit'`],
    input: Type.Object({ name: line(200) }, closed),
    output: partner,
    run: (ctx: Ctx, input) => createPartner(ctx, input),
  }),
  defineCommand({
    name: 'partners.list',
    summary: 'List partners, oldest first.',
    changes: false,
    roles: everyone,
    columns: ['name', 'suspendedAt', 'id', 'createdAt'],
    input: Type.Object(cursorInput, closed),
    output: cursorPage(partner),
    run: (ctx: Ctx, input) => listPartners(ctx, input),
  }),
  defineCommand({
    name: 'partners.suspend',
    summary: 'Suspend a partner: its keys are refused, unsigned payouts wait.',
    changes: true,
    roles: alsoFor('compliance'),
    input: Type.Object({ partnerId: uuid, reason: line(500) }, closed),
    output: partner,
    run: (ctx: Ctx, input) => suspendPartner(ctx, input),
  }),
  defineCommand({
    name: 'partners.resume',
    summary: 'End the suspension of a partner; payouts that waited are paid.',
    changes: true,
    roles: alsoFor('compliance'),
    stepUp: true,
    input: Type.Object({ partnerId: uuid }, closed),
    output: partner,
    run: (ctx: Ctx, input) => resumePartner(ctx, input),
  }),
  defineCommand({
    name: 'partners.allow-user',
    summary: "Add a user to a partner's allowed list.",
    changes: true,
    roles: adminOnly,
    stepUp: true,
    input: pair,
    output: membership,
    run: (ctx: Ctx, input) => allowUser(ctx, input),
  }),
  defineCommand({
    name: 'partners.disallow-user',
    summary: "Remove a user from a partner's allowed list and stop the partner's keys of that user.",
    changes: true,
    roles: adminOnly,
    input: pair,
    output: membership,
    run: (ctx: Ctx, input) => disallowUser(ctx, input),
  }),
  defineCommand({
    name: 'partners.list-users',
    summary: "List the users on a partner's allowed list.",
    changes: false,
    roles: everyone,
    columns: ['email', 'allowedAt', 'userId'],
    input: Type.Object({ partnerId: uuid, ...cursorInput }, closed),
    output: cursorPage(listedUser),
    run: (ctx: Ctx, input) => listAllowedUsers(ctx, input),
  }),
];
