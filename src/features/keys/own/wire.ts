import { Type } from 'typebox';
import { listedUser } from '#features/partners';
import { cursorInput } from '#platform/commands/cursor-page';
import { closed, dateTime, line, uuid } from '#platform/http/schemas';
import { key, listedKey, overlapHours, scope } from '../wire.ts';

/** Without the reason of a suspension, which operators write for operators. */
export const ownKey = Type.Object(Type.Omit(listedKey, ['suspendedReason']).properties, { title: 'ApiKey' });

export const issuedOwnKey = Type.Object(
  {
    ...Type.Omit(key, ['suspendedReason']).properties,
    token: Type.String({ description: 'Shown only once; we store only its hash' }),
  },
  { title: 'IssuedApiKey' },
);

export const keyPath = Type.Object({ keyId: Type.String({ description: 'The 16 characters after `cwk_`' }) });
export const listQuery = Type.Object(
  {
    userId: Type.Optional(Type.With(uuid, { description: 'Only keys of this user' })),
    ...cursorInput,
  },
  closed,
);

export const issueBody = Type.Object(
  {
    name: line(100),
    userId: Type.Optional(
      Type.With(uuid, { description: 'Whose data the key reads. A session must name a user; a key its own' }),
    ),
    scopes: Type.Optional(
      Type.Array(scope, {
        maxItems: 10,
        description:
          'What the key may do. If it lists no scope of the API, the usual ones that you may give are added; ' +
          '`api:none` prevents that',
      }),
    ),
    ipAllowlist: Type.Optional(
      Type.Array(Type.String({ maxLength: 50 }), {
        maxItems: 100,
        description: 'Addresses or CIDR blocks. By default any address, or those of the key that calls',
      }),
    ),
    expiresAt: Type.Optional(
      Type.With(dateTime, { description: 'By default never, or when the key that calls expires' }),
    ),
  },
  closed,
);

export const rotateBody = Type.Object(
  {
    overlapHours,
  },
  closed,
);

export const allowedUser = Type.Object(listedUser.properties, { title: 'AllowedUser' });
export const usersQuery = Type.Object(cursorInput, closed);
