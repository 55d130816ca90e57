import { Type } from 'typebox';
import type { EventFamily } from '#features/events';
import { dateTime, nullable } from '#platform/http/schemas';

/** What a subscriber learns about one of its keys. Integrations have the same events of theirs. */
export const keyEvents: EventFamily = {
  audience: ['partner', 'integration'],
  types: [
    { type: 'key.rotated', words: 'A key was replaced; it works until `expiresAt`' },
    { type: 'key.revoked', words: 'A key was revoked; it no longer works' },
  ],
  object: Type.Object(
    {
      id: Type.String({ description: 'The part of the key between `cwk_` or `cwi_` and its secret' }),
      replacedBy: nullable(Type.String(), { description: 'Id of the new key' }),
      expiresAt: nullable(dateTime),
      revokedAt: nullable(dateTime),
    },
    { title: 'KeyEnd' },
  ),
  example: {
    id: 'k3y7abcdefgh2345',
    replacedBy: 'n3wkeyabcdefgh23',
    expiresAt: '2026-08-01T12:00:00.000Z',
    revokedAt: null,
  },
};
