import { type Static, Type } from 'typebox';
import { integration, overlapHours } from '#features/connect/integrations';
import { closed, dateTime, nullable } from '#platform/http/schemas';

const ownIntegrationKey = Type.Object(
  {
    id: Type.String({ description: 'The 16 characters after `cwi_`' }),
    createdAt: dateTime,
    expiresAt: nullable(dateTime, { description: 'When it ends, after it was replaced' }),
    revokedAt: nullable(dateTime),
    lastUsedAt: nullable(dateTime, { description: 'To the minute; null: never' }),
  },
  { title: 'OwnIntegrationKey' },
);

export const ownIntegration = Type.Object(
  {
    ...integration.properties,
    keys: Type.Array(ownIntegrationKey, { description: 'Newest first, at most 20' }),
  },
  { title: 'OwnIntegration' },
);

export type OwnIntegration = Static<typeof ownIntegration>;

export const rotateBody = Type.Object(
  {
    overlapHours,
  },
  closed,
);

export const rotatedKey = Type.Object(
  {
    integrationId: Type.String(),
    keyId: Type.String({ description: 'The 16 characters after `cwi_`' }),
    token: Type.String({ description: 'What goes into `x-api-key`. Shown only in this answer' }),
    olderKeysEndAt: dateTime,
  },
  { title: 'RotatedIntegrationKey' },
);

const count = Type.Integer({ minimum: 0 });

export const activity = Type.Object(
  {
    consents: Type.Object(
      { awaiting: count, active: count, rejected: count, revoked: count, expired: count },
      { description: 'How many there are now, by state' },
    ),
    days: Type.Array(
      Type.Object({
        day: Type.String({ description: 'In UTC' }),
        requested: Type.Integer({ minimum: 0, description: 'Consents that were requested on this day' }),
        granted: Type.Integer({ minimum: 0, description: 'How many of these users granted' }),
        rejected: Type.Integer({ minimum: 0, description: 'How many of these users rejected' }),
        reads: Type.Integer({ minimum: 0, description: 'Reads of data on this day' }),
        refusedReads: Type.Integer({
          minimum: 0,
          description: 'Reads on this day that were refused or failed',
        }),
      }),
      { description: 'The last 30 days, newest first' },
    ),
    readErrors: Type.Array(
      Type.Object({
        hour: dateTime,
        code: Type.String({ description: 'The `code` of the answers' }),
        count,
      }),
      { description: 'Refused and failed reads of these days by hour and code, newest first, at most 100' },
    ),
  },
  { title: 'IntegrationActivity' },
);
