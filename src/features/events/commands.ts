import { Type } from 'typebox';
import type { Ctx } from '#context';
import { adminOnly, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, uuid } from '#platform/http/schemas';
import { anyFields } from '#platform/reference/operation';
import { listForOperator } from './list-for-operator.ts';
import { skipAhead } from './skip-ahead.ts';

/** A serializer would leave out the fields that a schema does not name. */
const anyData = Type.Unknown({
  documentedAs: { type: 'object', description: 'The object, and its status before', ...anyFields },
});

export const eventCommands = [
  defineCommand({
    name: 'events.list',
    summary: 'List the events of a partner or an integration, oldest first.',
    changes: false,
    roles: everyone,
    examples: ['0198a6a0-0000-7000-8000-000000000001'],
    columns: ['sequence', 'timestamp', 'type', 'id'],
    input: Type.Object(
      { subscriberId: Type.With(uuid, { description: 'Id of a partner or an integration' }), ...cursorInput },
      closed,
    ),
    output: cursorPage(
      Type.Object({
        id: Type.String(),
        type: Type.String(),
        timestamp: dateTime,
        sequence: Type.Integer(),
        apiVersion: Type.String(),
        data: anyData,
      }),
    ),
    run: (ctx: Ctx, input) => listForOperator(ctx, input),
  }),
  defineCommand({
    name: 'events.skip-ahead',
    summary: 'After a restore: continue all event feeds with numbers that nobody has read.',
    changes: true,
    roles: adminOnly,
    input: Type.Object({}, closed),
    output: Type.Object({
      streams: Type.Integer({ description: 'Feeds that continue ahead' }),
      continuesAfter: Type.Integer({ description: 'The number after which all of them continue' }),
    }),
    run: (ctx: Ctx) => skipAhead(ctx),
  }),
];
