import { Type } from 'typebox';
import type { Ctx, OperatorActor } from '#context';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { uuid } from '#platform/http/schemas';
import { consentStatuses } from './consent.ts';
import { listConsents } from './list-consents.ts';
import { listReads } from './list-reads.ts';
import { revokeConsent } from './revoke-consent.ts';
import { consentView, presentConsent, readView } from './wire.ts';

export const consentCommands = [
  defineCommand({
    name: 'consents.list',
    summary: 'List consents of a user, of an integration or of all, newest first.',
    changes: false,
    input: Type.Object(
      {
        userId: Type.Optional(uuid),
        integrationId: Type.Optional(uuid),
        status: Type.Optional(Type.Enum([...consentStatuses])),
        ...cursorInput,
      },
      { additionalProperties: false },
    ),
    output: cursorPage(consentView),
    run: (ctx: Ctx, input) => listConsents(ctx, input),
  }),
  defineCommand({
    name: 'consents.revoke',
    summary: 'End a consent at once, in the name of the operator.',
    changes: true,
    input: Type.Object({ consentId: uuid }, { additionalProperties: false }),
    output: consentView,
    run: async (ctx: Ctx, input) => presentConsent(await revokeConsent(ctx as Ctx<OperatorActor>, input)),
  }),
  defineCommand({
    name: 'consents.reads',
    summary: 'List who read which fields of whom, when and from which address, newest first.',
    changes: false,
    input: Type.Object(
      {
        consentId: Type.Optional(uuid),
        userId: Type.Optional(uuid),
        integrationId: Type.Optional(uuid),
        ...cursorInput,
      },
      { additionalProperties: false },
    ),
    output: cursorPage(readView),
    run: (ctx: Ctx, input) => listReads(ctx, input),
  }),
];
