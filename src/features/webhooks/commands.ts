import { Type } from 'typebox';
import type { Ctx, OperatorActor } from '#context';
import type { EventFamily } from '#features/events';
import { adminOnly, alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { invalidField } from '#platform/errors/errors';
import { closed, uuid } from '#platform/http/schemas';
import { createEndpoint } from './create-endpoint.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { endpointStates } from './endpoint.ts';
import { findEndpoint } from './find-endpoint.ts';
import { requireKnownTypes } from './known-types.ts';
import { listWithAnswers } from './list-with-answers.ts';
import { listWithWaiting } from './list-with-waiting.ts';
import { replayEvents } from './replay-events.ts';
import { resealEndpoints } from './reseal-endpoints.ts';
import { rotateSecret } from './rotate-secret.ts';
import { sendTest } from './send-test.ts';
import { showDelivery } from './show-delivery.ts';
import { traceDeliveries } from './trace-deliveries.ts';
import { updateEndpoint } from './update-endpoint.ts';
import {
  answeredDelivery,
  createdEndpoint,
  deliveryDetails,
  deliveryFilter,
  endpointChange,
  endpointFields,
  endpointView,
  replayAnswer,
  replaySelection,
  tracedDelivery,
} from './wire.ts';

const asOperator = (ctx: Ctx) => ctx as Ctx<OperatorActor>;
const endpointId = uuid;
const ofEndpoint = Type.Object({ endpointId }, closed);
const terms = {
  types: Type.Optional(endpointFields.types),
  ordered: Type.Optional(endpointFields.ordered),
  description: Type.Optional(endpointFields.description),
};
const sampleId = '0198a6a0-0000-7000-8000-000000000001';

/** The families say which types exist. */
export const webhookCommands = (families: readonly EventFamily[]) => [
  defineCommand({
    name: 'webhooks.create',
    summary: 'Register a webhook endpoint for a partner or an integration; its secret is shown once.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    positional: ['url'],
    examples: [
      `https://hooks.example.com/causeway --partner-id ${sampleId}`,
      `https://hooks.example.com/causeway --partner-id ${sampleId} --all-users --types withdrawal.completed,withdrawal.failed`,
    ],
    input: Type.Object(
      {
        url: endpointFields.url,
        partnerId: Type.Optional(uuid),
        integrationId: Type.Optional(uuid),
        userId: Type.Optional(
          Type.With(uuid, { description: 'Also send events about the account of this user' }),
        ),
        allUsers: Type.Optional(
          Type.Boolean({ description: 'Also send events about the accounts of all users of the partner' }),
        ),
        ...terms,
      },
      closed,
    ),
    output: createdEndpoint,
    run: async (ctx: Ctx, input) => {
      if ((input.partnerId === undefined) === (input.integrationId === undefined)) {
        throw invalidField('partnerId', 'or integrationId is required, and only one of them');
      }
      requireKnownTypes(families, input.partnerId === undefined ? 'integration' : 'partner', input.types);
      return createEndpoint(asOperator(ctx), input);
    },
  }),
  defineCommand({
    name: 'webhooks.list',
    summary: 'List webhook endpoints, oldest first.',
    changes: false,
    roles: everyone,
    columns: [
      'id',
      'url',
      'enabled',
      'disabledReason',
      'failingSince',
      'waiting',
      'partnerId',
      'integrationId',
    ],
    input: Type.Object(
      {
        partnerId: Type.Optional(uuid),
        integrationId: Type.Optional(uuid),
        endpointId: Type.Optional(endpointId),
        state: Type.Optional(
          Type.Enum([...endpointStates], { description: 'failing: no success since a failure' }),
        ),
        ...cursorInput,
      },
      closed,
    ),
    output: cursorPage(
      Type.Object({
        ...endpointView.properties,
        waiting: Type.Integer({ description: 'Deliveries that wait; 1000 means 1000 or more' }),
      }),
    ),
    run: (ctx: Ctx, input) => listWithWaiting(asOperator(ctx), input),
  }),
  defineCommand({
    name: 'webhooks.update',
    summary: 'Change, disable or enable a webhook endpoint; what is left out stays as it is.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    examples: [`${sampleId} --no-enabled`, `${sampleId} --enabled --replay-missed`],
    input: Type.Object(
      {
        endpointId,
        ...endpointChange,
      },
      { ...closed, minProperties: 2 },
    ),
    output: endpointView,
    run: async (ctx: Ctx, input) => {
      const { partnerId } = await findEndpoint(asOperator(ctx), input.endpointId);
      requireKnownTypes(families, partnerId === null ? 'integration' : 'partner', input.types);
      return updateEndpoint(asOperator(ctx), input);
    },
  }),
  defineCommand({
    name: 'webhooks.delete',
    summary: 'Delete a webhook endpoint.',
    changes: true,
    roles: adminOnly,
    input: ofEndpoint,
    output: endpointView,
    run: (ctx: Ctx, input) => deleteEndpoint(asOperator(ctx), input),
  }),
  defineCommand({
    name: 'webhooks.rotate-secret',
    summary: 'Replace the secret of a webhook endpoint; both sign for 24 hours.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    input: ofEndpoint,
    output: createdEndpoint,
    run: (ctx: Ctx, input) => rotateSecret(asOperator(ctx), input),
  }),
  defineCommand({
    name: 'webhooks.test',
    summary: 'Send a test event to a webhook endpoint.',
    changes: true,
    roles: alsoFor('support'),
    input: ofEndpoint,
    output: endpointView,
    run: (ctx: Ctx, input) => sendTest(asOperator(ctx), input),
  }),
  defineCommand({
    name: 'webhooks.deliveries',
    summary: 'List deliveries of the last 30 days to a webhook endpoint, newest first.',
    changes: false,
    roles: everyone,
    columns: ['id', 'type', 'status', 'attempts', 'lastStatus', 'createdAt', 'nextAttemptAt', 'eventId'],
    input: Type.Object({ endpointId, ...deliveryFilter }, closed),
    output: cursorPage(answeredDelivery),
    run: (ctx: Ctx, input) => listWithAnswers(asOperator(ctx), input),
  }),
  defineCommand({
    name: 'webhooks.trace',
    summary: 'List the deliveries of events about a withdrawal to all endpoints, oldest first.',
    changes: false,
    roles: everyone,
    positional: ['withdrawalId'],
    examples: [sampleId],
    columns: ['type', 'status', 'attempts', 'lastStatus', 'lastError', 'url', 'createdAt', 'endedAt'],
    input: Type.Object({ withdrawalId: Type.With(uuid, { description: 'Id of the withdrawal' }) }, closed),
    output: Type.Object({ items: Type.Array(tracedDelivery) }),
    run: async (ctx: Ctx, input) => ({ items: await traceDeliveries(ctx, input) }),
  }),
  defineCommand({
    name: 'webhooks.show-delivery',
    summary: 'Show what was sent to a webhook endpoint, and each answer.',
    changes: false,
    roles: everyone,
    examples: [`${sampleId} 17`],
    input: Type.Object(
      { endpointId, deliveryId: Type.String({ maxLength: 18, description: 'From the list of deliveries' }) },
      closed,
    ),
    output: deliveryDetails,
    run: (ctx: Ctx, input) => showDelivery(asOperator(ctx), input),
  }),
  defineCommand({
    name: 'webhooks.replay',
    summary: 'Send events to a webhook endpoint again: one, a period, or what it missed while disabled.',
    changes: true,
    roles: alsoFor('support'),
    examples: [
      `${sampleId} --event-id evt_0198a6c451b07c399d0e3f6a1c2b8d46`,
      `${sampleId} --start-date 2026-07-01T00:00:00Z --end-date 2026-07-02T00:00:00Z`,
      `${sampleId} --missed`,
    ],
    input: Type.Object(
      {
        endpointId,
        ...replaySelection,
      },
      closed,
    ),
    output: replayAnswer,
    run: (ctx: Ctx, input) => replayEvents(asOperator(ctx), input),
  }),
  defineCommand({
    name: 'webhooks.reseal',
    summary: 'Encrypt the secrets of webhook endpoints with the newest encryption key.',
    changes: true,
    roles: adminOnly,
    input: Type.Object(
      {
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000, description: 'At most so many' }),
        ),
      },
      closed,
    ),
    output: Type.Object({ resealed: Type.Integer(), remaining: Type.Integer(), keyVersion: Type.Integer() }),
    outlook: {
      left: 'remaining',
      done: 'Every webhook endpoint is encrypted with key {keyVersion}.',
      more: 'Run it again. Left with an older key: {remaining} endpoints.',
    },
    run: (ctx: Ctx, input) => resealEndpoints(ctx, input),
  }),
];
