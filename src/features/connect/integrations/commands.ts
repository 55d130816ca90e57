import { Type } from 'typebox';
import type { Ctx } from '#context';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { dateTime, line, uuid } from '#platform/http/schemas';
import { listIntegrations } from './list-integrations.ts';
import { registerIntegration } from './register-integration.ts';
import { revokeIntegration } from './revoke-integration.ts';
import { rotateIntegrationKey } from './rotate-integration-key.ts';
import { integration, integrationKey, scopeList } from './wire.ts';

const keyId = Type.String({ description: 'The 16 characters after `cwi_`' });
const token = Type.String({
  description: 'What goes into `x-api-key`. Shown this once; only its hash is kept.',
});
const texts = (item: ReturnType<typeof line>, description: string) =>
  Type.Array(item, { minItems: 1, maxItems: 20, uniqueItems: true, description });

export const integrationCommands = [
  defineCommand({
    name: 'integrations.register',
    summary: 'Register an integration that may ask users for their data; its key is shown once.',
    changes: true,
    input: Type.Object(
      {
        name: line(100),
        logoColor: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Such as #1a7f5a' }),
        purposes: texts(line(200), 'What it may say that it asks for data for, as users read it'),
        scopes: scopeList,
        redirectUris: texts(line(2_000), 'Where users may be sent back to; compared character by character'),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({ ...integration.properties, keyId, token }),
    run: (ctx: Ctx, input) => registerIntegration(ctx, input),
  }),
  defineCommand({
    name: 'integrations.rotate-key',
    summary: 'Give an integration a new key; older ones work for the overlap and then end.',
    changes: true,
    input: Type.Object(
      {
        integrationId: uuid,
        overlapHours: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 720, description: 'How long older keys go on (24)' }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({ integrationId: uuid, keyId, token, olderKeysEndAt: dateTime }),
    run: (ctx: Ctx, input) => rotateIntegrationKey(ctx, input),
  }),
  defineCommand({
    name: 'integrations.revoke',
    summary: 'End an integration and its keys at once; the consents that it has are revoked soon after.',
    changes: true,
    input: Type.Object({ integrationId: uuid }, { additionalProperties: false }),
    output: integration,
    run: (ctx: Ctx, input) => revokeIntegration(ctx, input),
  }),
  defineCommand({
    name: 'integrations.list',
    summary: 'List integrations with their keys, without the secrets, oldest first.',
    changes: false,
    input: Type.Object(cursorInput, { additionalProperties: false }),
    output: cursorPage(Type.Object({ ...integration.properties, keys: Type.Array(integrationKey) })),
    run: (ctx: Ctx, input) => listIntegrations(ctx, input),
  }),
];
