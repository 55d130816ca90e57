import { Type } from 'typebox';
import type { Ctx, OperatorActor } from '#context';
import { alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, uuid } from '#platform/http/schemas';
import { consentStatuses } from './consent.ts';
import { listConsents } from './list-consents.ts';
import { listReads } from './list-reads.ts';
import { revokeConsent } from './revoke-consent.ts';
import { consentView, presentConsent, readView } from './wire.ts';

export const consentCommands = [
  defineCommand({
    name: 'consents.list',
    summary: 'List consents, newest first; filter by user or integration.',
    changes: false,
    roles: everyone,
    columns: ['status', 'id', 'purpose', 'requestedAt', 'userId', 'expiresAt', 'scopes'],
    input: Type.Object(
      {
        userId: Type.Optional(uuid),
        integrationId: Type.Optional(uuid),
        status: Type.Optional(Type.Enum([...consentStatuses])),
        ...cursorInput,
      },
      closed,
    ),
    output: cursorPage(consentView),
    run: (ctx: Ctx, input) => listConsents(ctx, input),
  }),
  defineCommand({
    name: 'consents.revoke',
    summary: 'Revoke a consent immediately, as the operator.',
    changes: true,
    roles: alsoFor('support'),
    input: Type.Object({ consentId: uuid }, closed),
    output: consentView,
    run: async (ctx: Ctx, input) => presentConsent(await revokeConsent(ctx as Ctx<OperatorActor>, input)),
  }),
  defineCommand({
    name: 'consents.reads',
    summary: 'List reads of user data, newest first: integration, user, fields, time and IP address.',
    changes: false,
    roles: everyone,
    columns: ['readAt', 'fields', 'address', 'userId', 'integrationId', 'consentId'],
    input: Type.Object(
      {
        consentId: Type.Optional(uuid),
        userId: Type.Optional(uuid),
        integrationId: Type.Optional(uuid),
        ...cursorInput,
      },
      closed,
    ),
    output: cursorPage(readView),
    run: (ctx: Ctx, input) => listReads(ctx, input),
  }),
];
