import { type Static, type TSchema, Type } from 'typebox';
import type { DescribedEvent } from '#features/events';
import { invalidField } from '#platform/errors/errors';
import { closed } from '#platform/http/schemas';

export const feedQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 999_999_999_999_999,
        default: 0,
        description: '`next` of the last answer; 0 reads from the oldest event that is kept',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Events in an answer' }),
    ),
    types: Type.Optional(
      Type.String({ maxLength: 1_000, description: 'Only these types, separated by commas' }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 25,
        default: 0,
        description: 'Seconds to wait for an event if there is nothing new',
      }),
    ),
  },
  closed,
);

export function parseTypes(
  { types }: Static<typeof feedQuery>,
  events: readonly DescribedEvent[],
): string[] | undefined {
  if (types === undefined || types === '') return undefined;
  const wanted = types
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
  const unknown = wanted.find((type) => !events.some((event) => event.type === type));
  if (unknown === undefined) return wanted;
  throw invalidField('types', `has an unknown type: ${JSON.stringify(unknown.slice(0, 60))}`);
}

export const feedSchema = (title: string, events: readonly DescribedEvent[]): TSchema =>
  Type.Object(
    {
      events: Type.Array(Type.Union(events.map(({ schema }) => schema))),
      next: Type.Integer({ description: 'Pass it as `after` next time' }),
    },
    { title },
  );

/** Events are stored as they are sent, so an answer is their texts put together. */
export const writeFeed = (bodies: readonly string[], next: number) =>
  `{"events":[${bodies.join(',')}],"next":${next}}`;
