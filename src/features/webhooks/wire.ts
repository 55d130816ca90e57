import { type Static, Type } from 'typebox';
import { cursorInput } from '#platform/commands/cursor-page';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { deliveryStatuses, disabledReasons, type Endpoint } from './endpoint.ts';
import type { AttemptRow, DeliveryRow, LastAttempt } from './queries/deliveries.ts';

export const endpointFields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'Where events are sent: https, a public address, port 443 or 8443',
  }),
  types: nullable(
    Type.Array(Type.String({ maxLength: 60 }), { minItems: 1, maxItems: 50, uniqueItems: true }),
    { description: 'Only these types of events; null: all types' },
  ),
  ordered: Type.Boolean({
    description: 'true: events of one resource are sent one after another. false: as fast as you accept them',
  }),
  description: Type.Union([line(200), Type.Literal('')], { description: 'Your note' }),
};

/** An endpoint without its secret. */
export const endpointView = Type.Object(
  {
    id: uuid,
    ...endpointFields,
    enabled: Type.Boolean(),
    disabledAt: nullable(dateTime),
    disabledReason: nullable(Type.Enum([...disabledReasons]), {
      description:
        'gone: it answered 410. failing: every attempt of five days failed. key: the key that set it was revoked or suspended',
    }),
    missedAfter: nullable(Type.Integer(), {
      description:
        'The sequence after which events were not sent, because it was disabled; null: none is missing',
    }),
    failingSince: nullable(dateTime, { description: 'When attempts began to fail; null after a success' }),
    publicKeys: Type.Array(Type.String(), { description: 'For signatures `v1a`; two during a rotation' }),
    partnerId: nullable(uuid),
    integrationId: nullable(uuid),
    userId: nullable(uuid, { description: 'It also receives events about the account of this user' }),
    allUsers: Type.Boolean({ description: 'It receives events about the accounts of all users' }),
    createdAt: dateTime,
    updatedAt: dateTime,
  },
  { title: 'WebhookEndpoint' },
);

export type EndpointView = Static<typeof endpointView>;

export const createdEndpoint = Type.Object(
  {
    ...endpointView.properties,
    secret: Type.String({ description: 'Verifies signatures `v1`. Shown only in this answer' }),
  },
  { title: 'CreatedWebhookEndpoint' },
);

export function presentEndpoint(row: Endpoint, now: Date): EndpointView {
  const { formerEndsAt, formerPublicKey } = row;
  const isRotating = formerEndsAt !== null && formerEndsAt > now;
  return {
    id: row.id,
    url: row.url,
    types: row.types,
    ordered: row.isOrdered,
    description: row.description,
    enabled: row.disabledAt === null,
    disabledAt: iso(row.disabledAt),
    disabledReason: row.disabledReason,
    missedAfter: row.resumeAfter === null ? null : Number(row.resumeAfter),
    failingSince: iso(row.failingSince),
    publicKeys: [row.publicKey, ...(isRotating ? [formerPublicKey!] : [])],
    partnerId: row.partnerId,
    integrationId: row.integrationId,
    userId: row.userId,
    allUsers: row.isForAllUsers,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

const iso = (instant: Date | null) => instant?.toISOString() ?? null;

export const deliveryView = Type.Object(
  {
    id: Type.String(),
    endpointId: uuid,
    eventId: Type.String({ description: 'The same for each delivery of the event: the header `webhook-id`' }),
    type: Type.String(),
    sequence: Type.Integer(),
    status: Type.Enum([...deliveryStatuses], {
      description:
        'due: waits or is being sent. failed: the last attempt failed. canceled: the endpoint was disabled or deleted, or may not receive it',
    }),
    attempts: Type.Integer(),
    nextAttemptAt: nullable(dateTime),
    createdAt: dateTime,
    endedAt: nullable(dateTime),
  },
  { title: 'WebhookDelivery' },
);

export type DeliveryView = Static<typeof deliveryView>;

export const presentDelivery = (row: DeliveryRow): DeliveryView => ({
  id: String(row.id),
  endpointId: row.endpointId,
  eventId: row.eventId,
  type: row.type,
  sequence: Number(row.sequence),
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.status === 'due' ? row.dueAt.toISOString() : null,
  createdAt: row.createdAt.toISOString(),
  endedAt: iso(row.endedAt),
});

/** For operators: what was answered last. */
const lastAttempt = {
  lastAttemptAt: nullable(dateTime),
  lastStatus: nullable(Type.Integer(), { description: 'HTTP status of the last answer' }),
  lastError: nullable(Type.String(), { description: 'Why the last attempt failed' }),
  lastDurationMs: nullable(Type.Integer()),
};

export const answeredDelivery = Type.Object({ ...deliveryView.properties, ...lastAttempt });

export type AnsweredDelivery = Static<typeof answeredDelivery>;

export const tracedDelivery = Type.Object({ ...answeredDelivery.properties, url: Type.String() });

export type TracedDeliveryView = Static<typeof tracedDelivery>;

export const presentLast = ({ lastAttemptAt, lastStatus, lastError, lastDurationMs }: LastAttempt) => ({
  lastAttemptAt: iso(lastAttemptAt),
  lastStatus,
  lastError,
  lastDurationMs,
});

const attemptView = Type.Object(
  {
    number: Type.Integer(),
    url: Type.String(),
    startedAt: dateTime,
    durationMs: Type.Integer(),
    status: nullable(Type.Integer(), { description: 'HTTP status of the answer' }),
    error: nullable(Type.String(), { description: 'Why it failed' }),
    answer: Type.String({ description: 'The first 4 kB of the answer' }),
  },
  { title: 'WebhookAttempt' },
);

export const presentAttempt = (row: AttemptRow): Static<typeof attemptView> => ({
  ...row,
  startedAt: row.startedAt.toISOString(),
});

export const deliveryDetails = Type.Object(
  {
    ...deliveryView.properties,
    body: Type.String({ description: 'What was sent, byte for byte' }),
    attemptList: Type.Array(attemptView),
  },
  { title: 'WebhookDeliveryDetails' },
);

export type DeliveryDetails = Static<typeof deliveryDetails>;

export const replayAnswer = Type.Object(
  {
    queued: Type.Integer({ description: 'How many events are sent again' }),
    nextAfter: nullable(Type.Integer(), {
      description:
        'Call again with it as `after` for the rest, even if nothing was queued; null when everything is queued',
    }),
  },
  { title: 'WebhookReplay' },
);

export const publicKeys = Type.Object({ keys: Type.Array(Type.String()) });

// ## Requests

export const endpointPath = Type.Object({ endpointId: Type.String({ description: 'UUID' }) });
export const deliveryPath = Type.Object({
  ...endpointPath.properties,
  deliveryId: Type.String({ description: 'From the list of deliveries' }),
});

const terms = {
  types: Type.Optional(endpointFields.types),
  ordered: Type.Optional(endpointFields.ordered),
  description: Type.Optional(endpointFields.description),
};

export const createBody = Type.Object({ url: endpointFields.url, ...terms }, closed);
export const createPartnerBody = Type.Object(
  {
    ...createBody.properties,
    userId: Type.Optional(
      Type.With(uuid, {
        description:
          'Also send events about the account of this user. By key: only its own user, the default',
      }),
    ),
    allUsers: Type.Optional(
      Type.Boolean({ description: 'Also send events about the accounts of all your users. Not by key' }),
    ),
  },
  closed,
);

export const endpointChange = {
  url: Type.Optional(endpointFields.url),
  ...terms,
  enabled: Type.Optional(Type.Boolean({ description: 'Whether events are sent' })),
  replayMissed: Type.Optional(
    Type.Boolean({ description: 'With enabled: also send what was missed, first and in order' }),
  ),
};
export const updateBody = Type.Object(endpointChange, { ...closed, minProperties: 1 });

export const replaySelection = {
  eventId: Type.Optional(Type.String({ maxLength: 60, description: 'One event' })),
  startDate: Type.Optional(Type.With(dateTime, { description: 'Events from this instant on' })),
  endDate: Type.Optional(Type.With(dateTime, { description: 'Events before this instant' })),
  missed: Type.Optional(
    Type.Boolean({ description: 'Events that were not sent because the endpoint was disabled' }),
  ),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: '`nextAfter` of the last call, to send the rest of a period',
    }),
  ),
};
export const replayBody = Type.Object(replaySelection, closed);

export const deliveryFilter = {
  status: Type.Optional(Type.Enum([...deliveryStatuses], { description: 'Only those in this status' })),
  ...cursorInput,
};
export const deliveryQuery = Type.Object(deliveryFilter, closed);
