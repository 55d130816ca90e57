import { Type } from 'typebox';
import type { Ctx, OperatorActor } from '#context';
import { alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { closed, line, uuid } from '#platform/http/schemas';
import { pausePayouts } from './pause-payouts.ts';
import { selectPauses } from './queries.ts';
import { resumePayouts } from './resume-payouts.ts';
import { pauseView, presentPause } from './wire.ts';

const target = {
  network: Type.Optional(
    Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: 'Only payouts on this network' }),
  ),
  partnerId: Type.Optional(Type.With(uuid, { description: 'Only payouts that this partner created' })),
  userId: Type.Optional(Type.With(uuid, { description: 'Only payouts from the balance of this user' })),
};

export const pauseCommands = [
  defineCommand({
    name: 'payouts.pause',
    summary: 'Emergency stop: sign no new payouts, of everything or of one network, partner or user.',
    changes: true,
    roles: alsoFor('support', 'treasury', 'compliance'),
    positional: [],
    examples: ["--reason 'A partner reports a stolen key'", "--network polygon --reason 'Chain is forked'"],
    input: Type.Object({ ...target, reason: line(500) }, closed),
    output: pauseView,
    run: (ctx: Ctx, input) => pausePayouts(ctx as Ctx<OperatorActor>, input),
  }),
  defineCommand({
    name: 'payouts.resume',
    summary: 'End the pause of everything, or of one network, partner or user; other pauses stay.',
    changes: true,
    roles: alsoFor('treasury'),
    stepUp: true,
    positional: [],
    examples: ['', '--network polygon'],
    input: Type.Object(target, closed),
    output: pauseView,
    run: (ctx: Ctx, input) => resumePayouts(ctx, input),
  }),
  defineCommand({
    name: 'payouts.list-pauses',
    summary: 'List the pauses of payouts, with reason and operator, oldest first.',
    changes: false,
    roles: everyone,
    columns: ['scope', 'pausedAt', 'pausedBy', 'reason'],
    input: Type.Object({}, closed),
    output: Type.Object({ pauses: Type.Array(pauseView) }),
    run: async (ctx: Ctx) => ({
      pauses: (await selectPauses(ctx.db)).map((row) => presentPause(row.scope, row)),
    }),
  }),
];
