import { integrationErrors } from '#features/connect/integrations';
import { type DescribedEvent, eventErrors } from '#features/events';
import { scopeMissing } from '#features/keys';
import { invalidField } from '#platform/errors/errors';
import { commonCases, type ErrorCase, type Operation, refusals } from '#platform/reference/operation';
import { feedSchema } from './wire.ts';

const description = (events: readonly DescribedEvent[]) =>
  [
    'All events, in order. Store `next` after you have processed an answer, and pass it as `after` in the next',
    'request: this way nothing is lost, whatever fails on the way. Numbers may skip, such as after a failover.',
    'Events are kept for 400 days.',
    '',
    'With `wait`, a request that finds nothing new waits up to that many seconds for the next event.',
    '',
    ...events.map(({ type, words }) => `- \`${type}\`: ${words}.`),
  ].join('\n');

const feedCases: ErrorCase[] = [
  ...refusals([
    [() => invalidField('limit', 'must be <= 1000'), 'A query parameter is invalid or unknown'],
    [() => invalidField('types', 'has an unknown type: "withdrawal.paid"'), 'A type does not exist'],
    [
      () =>
        eventErrors.sequenceAhead({
          message: 'after is ahead of the feed: the newest event has the sequence 41',
        }),
      'The feed has fewer events than you have read: the operator restored a backup. Read from that number on',
    ],
    [
      () =>
        eventErrors.eventsExpired({
          message: 'Events after 7 were deleted: the oldest event that is kept has the sequence 120',
        }),
      'Events that you have not read are older than 400 days. Read on with `after=0`, and compare with the lists',
    ],
    [eventErrors.tooManyWaiting, 'More than 20 of your requests wait at this server. Try again later'],
  ]),
  ...commonCases,
];

const answerOf = (title: string, events: readonly DescribedEvent[]) => ({
  200: {
    description: 'Events after `after`, oldest first.',
    schema: feedSchema(title, events),
  },
});

const parameters = { after: { example: 41 }, types: { example: undefined } };

export const partnerFeedReference = (events: readonly DescribedEvent[]): Operation => ({
  audience: 'partner',
  tag: 'Events',
  security: 'apiKey',
  id: 'listEvents',
  summary: 'Read events',
  description: [
    description(events),
    '',
    'Events about an account or its cards are for keys of that user only; others are for every key of the',
    'partner. Numbers that a key may not see are skipped.',
  ].join('\n'),
  parameters,
  answers: answerOf('EventFeed', events),
  errors: [
    ...refusals([
      [eventErrors.unauthorized, 'The token is missing or invalid'],
      [eventErrors.addressNotAllowed, 'The key has an IP allowlist, and the caller is not on it'],
      [() => scopeMissing('events:read'), 'The key has other scopes'],
      [eventErrors.rateLimitExceeded, 'More than 60 requests of the user in 10 seconds'],
    ]),
    ...feedCases,
  ],
});

export const integrationFeedReference = (events: readonly DescribedEvent[]): Operation => ({
  audience: 'partner',
  tag: 'Events',
  security: 'integrationKey',
  id: 'listIntegrationEvents',
  summary: 'Read events of an integration',
  description: description(events),
  parameters,
  answers: answerOf('IntegrationEventFeed', events),
  errors: [
    ...refusals([
      [integrationErrors.missingApiKey, 'The header `x-api-key` is missing'],
      [integrationErrors.invalidApiKey, 'The key is unknown, expired or revoked'],
      [integrationErrors.rateLimitExceeded, 'More than 60 requests of the integration in 10 seconds'],
    ]),
    ...feedCases,
  ],
});
