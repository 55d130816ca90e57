import { type Static, Type } from 'typebox';
import { cursorInput } from '#platform/commands/cursor-page';
import { closed, dateTime, nullable, uuid } from '#platform/http/schemas';
import type { RequestRow } from './queries.ts';

export const loggedRequest = Type.Object(
  {
    requestId: Type.String({ description: 'As in the header `x-request-id` of the answer, and in errors' }),
    at: dateTime,
    partnerId: uuid,
    by: Type.Enum(['key', 'person'], { description: 'person: by session, on a page or with its cookie' }),
    keyId: nullable(Type.String()),
    personId: nullable(uuid),
    method: Type.String(),
    route: Type.String({ description: 'The pattern of the path' }),
    path: Type.String({ description: 'With its ids; never the query' }),
    status: Type.Integer(),
    errorCode: nullable(Type.String(), { description: '`code` of the error that was answered' }),
    durationMs: Type.Integer(),
    callerAddress: Type.String(),
  },
  { title: 'LoggedRequest' },
);

export type LoggedRequest = Static<typeof loggedRequest>;

export const presentRequest = ({ at, ...row }: RequestRow): LoggedRequest => ({
  ...row,
  at: at.toISOString(),
  by: row.keyId === null ? 'person' : 'key',
});

const instant = (words: string) => Type.Optional(Type.String({ maxLength: 40, description: words }));

export const requestFilter = {
  keyId: Type.Optional(
    Type.String({
      pattern: '^[a-z2-7]{16}$',
      description: 'Only of this key: the 16 characters after `cwk_`',
    }),
  ),
  requestId: Type.Optional(Type.With(uuid, { description: 'Only this request' })),
  status: Type.Optional(Type.Enum(['2xx', '4xx', '5xx'], { description: 'Only answers of this kind' })),
  route: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only this pattern, such as `/api/crypto/:userId/withdraw`',
    }),
  ),
  by: Type.Optional(Type.Enum(['key', 'person'], { description: 'Only by keys, or only by people' })),
  startDate: instant('At or after this: ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z'),
  endDate: instant('At or before this; a day is all of it'),
  ...cursorInput,
};

export const requestQuery = Type.Object(requestFilter, closed);
