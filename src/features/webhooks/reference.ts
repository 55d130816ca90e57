import { developerCases, developerSecurity } from '#features/connect/developers';
import { integrationErrors } from '#features/connect/integrations';
import { adminCases, adminSecurity } from '#features/keys';
import { invalidField } from '#platform/errors/errors';
import {
  answer,
  bodyCases,
  commonCases,
  type ErrorCase,
  type Operation,
  refusals,
} from '#platform/reference/operation';
import { webhookErrors } from './errors.ts';

const endpointId = '0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46';

export const endpointExample = {
  id: endpointId,
  url: 'https://hooks.example.com/causeway',
  types: ['withdrawal.completed', 'withdrawal.failed'],
  ordered: false,
  description: 'Bookkeeping',
  enabled: true,
  disabledAt: null,
  disabledReason: null,
  missedAfter: null,
  failingSince: null,
  publicKeys: ['whpk_Xe1bZ4vM0qk9sJfYw2uRtLhC7dPnAoGi5yNEx8QTU3A='],
  partnerId: '0198a6a0-0000-7000-8000-000000000001',
  integrationId: null,
  userId: '0198a6a0-0000-7000-8000-000000000002',
  allUsers: false,
  createdAt: '2026-07-31T12:00:00.000Z',
  updatedAt: '2026-07-31T12:00:00.000Z',
};

const delivery = {
  id: '17',
  endpointId,
  eventId: 'evt_0198a6c451b07c399d0e3f6a1c2b8d46',
  type: 'withdrawal.completed',
  sequence: 42,
  status: 'delivered',
  attempts: 2,
  nextAttemptAt: null,
  createdAt: '2026-07-31T12:00:41.000Z',
  endedAt: '2026-07-31T12:00:46.300Z',
};

const invalid = (field: string, message: string) => () => invalidField(field, message);
const notFound = refusals([[webhookErrors.endpointNotFound, 'You have no such endpoint']]);
const ofOperator = refusals([
  [webhookErrors.managedByOperator, 'The endpoint receives events of all users, and the key is for one user'],
]);
const ofPeople: ErrorCase[] = [
  ...ofOperator,
  ...refusals([
    [webhookErrors.peopleDecide, 'A key with `partner:admin`, and an endpoint that is not of its user'],
  ]),
];
const disabled = refusals([[webhookErrors.endpointDisabled, 'The endpoint is disabled']]);
const urlCase = refusals([
  [
    invalid('url', 'cannot be called: the port must be 443 or 8443'),
    'A field is invalid, or the address may not be called',
  ],
]);

const chosenUsers = refusals([
  [webhookErrors.adminsChoose, 'A key names another user, or all users'],
  [
    webhookErrors.notYourUser,
    'By session: the user is not on the list of users that the operator allowed you',
  ],
]);
const forAdmins = [
  '',
  'An endpoint of a key receives events of the partner and of its user. The key needs `webhooks:manage`, or',
  '`partner:admin` with `events:read`. A person with the role `developer` or `owner` chooses another user or',
  'all users. If the key is revoked or suspended, the endpoint is disabled.',
];

type Audience = 'partner' | 'integration';

/** For a new endpoint, by what each may receive. */
const chosenTypes = {
  partner: endpointExample.types,
  integration: ['consent.granted', 'consent.revoked'],
};
const parameters = { endpointId: { example: endpointId } };

/** What operations of one kind of callers have in common, and how they are named. */
function describer(audience: Audience) {
  const isPartner = audience === 'partner';
  const common = {
    audience: 'partner',
    tag: isPartner ? 'Webhooks' : 'Webhooks of integrations',
    security: isPartner ? adminSecurity : developerSecurity,
  } as const;
  const name = (verb: string, what = 'WebhookEndpoint') => `${verb}${isPartner ? '' : 'Integration'}${what}`;
  const callers: ErrorCase[] = isPartner
    ? adminCases(webhookErrors, {
        scope: 'webhooks:manage',
        quota: 'More than 60 requests of the user or person in 10 seconds',
        stepUp: true,
      })
    : [
        ...refusals([
          [integrationErrors.missingApiKey, 'The header `x-api-key` is missing, and there is no session'],
          [integrationErrors.invalidApiKey, 'The key is unknown, expired or revoked'],
          [integrationErrors.rateLimitExceeded, 'More than 60 requests of the integration in 10 seconds'],
        ]),
        ...developerCases({ stepUp: true }),
      ];
  const operation = (
    rest: Pick<Operation, 'id' | 'summary' | 'answers'> & Partial<Operation>,
  ): Operation => ({
    ...common,
    parameters,
    ...rest,
    errors: [...(rest.errors ?? []), ...callers, ...commonCases],
  });
  return { name, operation };
}

/** Create, list, show, change and delete endpoints. */
export function manageReference(audience: Audience) {
  const { name, operation } = describer(audience);
  return {
    create: operation({
      id: name('create'),
      summary: 'Create a webhook endpoint',
      description: [
        'Events are sent there by POST as they happen, signed as Standard Webhooks says. Any status from 200 to',
        '299 within 15 seconds counts as received; anything else is retried for three days.',
        '',
        'The answer has the secret, once. See the guide “Receive events”.',
        ...(audience === 'partner' ? forAdmins : []),
      ].join('\n'),
      parameters: {},
      requests: { example: { value: { url: endpointExample.url, types: chosenTypes[audience] } } },
      answers: answer('The endpoint, with its secret.', 201),
      errors: [
        ...urlCase,
        ...refusals([[webhookErrors.tooManyEndpoints, 'You have 20 endpoints']]),
        ...(audience === 'partner' ? chosenUsers : []),
        ...bodyCases,
      ],
    }),
    list: operation({
      id: name('list', 'WebhookEndpoints'),
      summary: 'List webhook endpoints',
      parameters: {},
      answers: answer('Endpoints, oldest first.'),
      errors: refusals([[invalid('limit', 'must be <= 200'), 'A query parameter is invalid or unknown']]),
    }),
    show: operation({
      id: name('show'),
      summary: 'Show a webhook endpoint',
      answers: answer('The endpoint.'),
      errors: notFound,
    }),
    update: operation({
      id: name('update'),
      summary: 'Change a webhook endpoint',
      description:
        'What is left out stays as it is. With `enabled` and `replayMissed`, what was missed is sent first. To endpoints of other users, a key with `partner:admin` sends only `enabled: false`.',
      requests: { enable: { value: { enabled: true, replayMissed: true } } },
      answers: answer('The endpoint.'),
      errors: [...urlCase, ...ofPeople, ...notFound, ...bodyCases],
    }),
    remove: operation({
      id: name('delete'),
      summary: 'Delete a webhook endpoint',
      answers: answer('The endpoint as it was.'),
      errors: [...ofOperator, ...notFound],
    }),
  };
}

/** Secrets, tests and replays. */
export function actionReference(audience: Audience) {
  const { name, operation } = describer(audience);
  return {
    rotate: operation({
      id: name('rotate', 'WebhookSecret'),
      summary: 'Replace the secret',
      description: 'The old secret and the old private key sign as well for 24 hours.',
      answers: answer('The endpoint, with its new secret.'),
      errors: [...ofPeople, ...notFound],
    }),
    test: operation({
      id: name('test'),
      summary: 'Send a test event',
      description: 'The event `webhook_endpoint.tested` is sent to this endpoint, and is in the feed.',
      answers: answer('The endpoint.'),
      errors: [...ofOperator, ...notFound, ...disabled],
    }),
    replay: operation({
      id: name('replay', 'WebhookEvents'),
      summary: 'Send events again',
      description:
        'One event, those of a period, or what was missed while the endpoint was disabled. Ids stay the same.',
      requests: {
        one: { summary: 'One event', value: { eventId: delivery.eventId } },
        period: {
          summary: 'A day',
          value: { startDate: '2026-07-30T00:00:00Z', endDate: '2026-07-31T00:00:00Z' },
        },
        missed: { summary: 'What was missed', value: { missed: true } },
      },
      answers: answer('How many events are sent again.'),
      errors: [
        ...refusals([
          [
            invalid('eventId', 'or startDate and endDate, or missed is required, and only one of them'),
            'The body does not say which events',
          ],
          [webhookErrors.eventNotFound, 'There is no such event, or the endpoint does not receive its type'],
        ]),
        ...ofPeople,
        ...notFound,
        ...disabled,
        ...bodyCases,
      ],
    }),
  };
}

/** What became of each event. */
export function deliveryReference(audience: Audience) {
  const { name, operation } = describer(audience);
  return {
    deliveries: operation({
      id: name('list', 'WebhookDeliveries'),
      summary: 'List deliveries',
      description: 'Of the last 30 days, newest first.',
      answers: answer('A page of deliveries.'),
      errors: [
        ...refusals([[invalid('limit', 'must be <= 200'), 'A query parameter is invalid or unknown']]),
        ...notFound,
      ],
    }),
    delivery: operation({
      id: name('show', 'WebhookDelivery'),
      summary: 'Show a delivery',
      description: 'What was sent, and the answer to each attempt.',
      parameters: { ...parameters, deliveryId: { example: '17' } },
      answers: answer('The delivery.'),
      errors: [...notFound, ...refusals([[webhookErrors.deliveryNotFound, 'There is no such delivery']])],
    }),
  };
}

export const keysReference: Operation = {
  audience: 'partner',
  tag: 'Webhooks',
  id: 'listWebhookKeys',
  summary: 'Read the public keys of an endpoint',
  description: 'For signatures `v1a` (Ed25519). Two keys during the 24 hours after a rotation. Needs no key.',
  parameters: { endpointId: { example: endpointId } },
  answers: {
    200: {
      description: 'The keys, newest first.',
    },
  },
  errors: [...notFound, ...commonCases],
};
