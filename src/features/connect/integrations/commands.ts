import { Type } from 'typebox';
import type { Ctx } from '#context';
import { adminOnly, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { listIntegrations } from './list-integrations.ts';
import { registerIntegration } from './register-integration.ts';
import { revokeIntegration } from './revoke-integration.ts';
import { rotateIntegrationKey } from './rotate-integration-key.ts';
import { setLogo } from './set-logo.ts';
import { updateIntegration } from './update-integration.ts';
import { integration, integrationKey, overlapHours, scopeList, termFields, texts } from './wire.ts';

const keyId = Type.String({ description: 'The 16 characters after `cwi_`' });
const token = Type.String({
  description: 'What goes into `x-api-key`. Shown only once; we store only its hash.',
});
const { homepageUrl, privacyUrl, ...fields } = termFields;
const purposesPt = Type.Optional(
  nullable(texts(line(200), 'In Portuguese'), {
    description: 'The purposes in Portuguese, in the order of the purposes',
  }),
);
const links = { homepageUrl, privacyUrl };

export const integrationCommands = [
  defineCommand({
    name: 'integrations.register',
    summary: 'Register an integration that may ask users for their data; its key is shown once.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    examples: [
      `--name 'My App' --logo-color '#1a7f5a' --purposes 'Open an account' --scopes profile,email --redirect-uris https://app.example.com/back`,
    ],
    input: Type.Object({ ...fields, purposesPt, ...links, scopes: scopeList }, closed),
    output: Type.Object({ ...integration.properties, keyId, token }),
    run: (ctx: Ctx, input) => registerIntegration(ctx, input),
  }),
  defineCommand({
    name: 'integrations.update',
    summary: 'Update what an integration shows and its redirect URIs; what is left out stays as it is.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    examples: ['0198a6a0-0000-7000-8000-000000000001 --privacy-url https://app.example.com/privacy'],
    input: Type.Object(
      { integrationId: uuid, ...Type.Partial(Type.Object(fields)).properties, purposesPt, ...links },
      { ...closed, minProperties: 2 },
    ),
    output: integration,
    run: (ctx: Ctx, input) => updateIntegration(ctx, input),
  }),
  defineCommand({
    name: 'integrations.set-logo',
    summary:
      'Set the logo that users see beside an integration, or remove it. We draw it again and serve it.',
    changes: true,
    roles: adminOnly,
    bodyBytesMax: 1_100_000,
    examples: ['0198a6a0-0000-7000-8000-000000000001 --logo @logo.png'],
    input: Type.Object(
      {
        integrationId: uuid,
        logo: nullable(Type.String({ contentEncoding: 'base64', minLength: 1, maxLength: 1_000_000 }), {
          description:
            'PNG file of at most 500 KB, with 16 to 1,024 pixels on each side. An empty text removes the logo',
        }),
      },
      closed,
    ),
    output: integration,
    run: (ctx: Ctx, input) => setLogo(ctx, input),
  }),
  defineCommand({
    name: 'integrations.rotate-key',
    summary: 'Issue a new key for an integration; older keys work until the overlap ends.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    input: Type.Object(
      {
        integrationId: uuid,
        overlapHours,
      },
      closed,
    ),
    output: Type.Object({ integrationId: uuid, keyId, token, olderKeysEndAt: dateTime }),
    run: (ctx: Ctx, input) => rotateIntegrationKey(ctx, input),
  }),
  defineCommand({
    name: 'integrations.revoke',
    summary: 'Revoke an integration and its keys immediately; its consents are revoked soon after.',
    changes: true,
    roles: adminOnly,
    input: Type.Object({ integrationId: uuid }, closed),
    output: integration,
    run: (ctx: Ctx, input) => revokeIntegration(ctx, input),
  }),
  defineCommand({
    name: 'integrations.list',
    summary: 'List integrations with their keys, without the secrets, oldest first.',
    changes: false,
    roles: everyone,
    columns: ['name', 'id', 'scopes', 'createdAt', 'revokedAt'],
    input: Type.Object(cursorInput, closed),
    output: cursorPage(Type.Object({ ...integration.properties, keys: Type.Array(integrationKey) })),
    run: (ctx: Ctx, input) => listIntegrations(ctx, input),
  }),
];
