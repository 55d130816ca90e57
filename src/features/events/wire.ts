import { type TSchema, Type } from 'typebox';
import { dateTime } from '#platform/http/schemas';
import { apiVersion, type EventFamily, type EventType } from './event.ts';

/** What subscribers of this kind may receive. */
export const familiesFor = (families: readonly EventFamily[], audience: 'partner' | 'integration') =>
  families.filter((family) => family.audience.includes(audience));

export interface DescribedEvent extends EventType {
  /** In generated clients. */
  name: string;
  schema: TSchema;
  example: object;
}

/** Each event as it is sent, for the reference and for clients. */
export const describeEvents = (families: readonly EventFamily[]): DescribedEvent[] =>
  families.flatMap((family) => family.types.map((type) => describeEvent(family, type)));

function describeEvent({ object, example }: EventFamily, type: EventType): DescribedEvent {
  const name = `${type.type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Event`;
  const previousStatus = Type.String({ description: 'Status before the change' });
  const schema = Type.Object(
    {
      id: Type.String({ description: 'The same in the feed and in each delivery: deduplicate by it' }),
      type: Type.Literal(type.type),
      timestamp: Type.With(dateTime, { description: 'When it happened' }),
      sequence: Type.Integer({
        description: 'Its number in your feed. Numbers increase, and may skip, such as after a failover',
      }),
      apiVersion: Type.String({ description: 'The version of the interface that `object` has' }),
      data: Type.Object({
        object,
        ...(type.hasPreviousStatus && { previousStatus: Type.Optional(previousStatus) }),
      }),
    },
    { title: name, description: type.words },
  );
  const sample = {
    id: 'evt_0198a6c451b07c399d0e3f6a1c2b8d46',
    type: type.type,
    timestamp: '2026-07-31T12:00:41.000Z',
    sequence: 42,
    apiVersion,
    data: { object: example },
  };
  return { ...type, name, schema, example: sample };
}
