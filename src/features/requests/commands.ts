import { Type } from 'typebox';
import type { Ctx } from '#context';
import { everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorPage } from '#platform/commands/cursor-page';
import { closed, uuid } from '#platform/http/schemas';
import { listRequests } from './list-requests.ts';
import { loggedRequest, requestFilter } from './wire.ts';

export const requestCommands = [
  defineCommand({
    name: 'requests.list',
    summary: 'List what partners asked in the last seven days, newest first. All filters must match.',
    changes: false,
    roles: everyone,
    examples: [
      '--request-id 0f8fad5b-d9cb-469f-a165-70867728950e',
      '--key-id abcdefghijkl2345 --status 4xx --start-date 2026-01-31',
    ],
    columns: ['at', 'method', 'path', 'status', 'errorCode', 'keyId', 'callerAddress', 'requestId'],
    input: Type.Object(
      {
        partnerId: Type.Optional(Type.With(uuid, { description: 'Only of this partner' })),
        ...requestFilter,
      },
      closed,
    ),
    output: cursorPage(loggedRequest),
    run: (ctx: Ctx, input) => listRequests(ctx, input),
  }),
];
