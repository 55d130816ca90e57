import { integrationErrors } from '#features/connect/integrations';
import { personErrors } from '#features/people';
import { invalidField } from '#platform/errors/errors';
import {
  answer,
  bodyCases,
  commonCases,
  type ErrorCase,
  exampleAnswer,
  type Operation,
  refusals,
} from '#platform/reference/operation';

/** How a route refuses the session of a person, where one is admitted. */
export const developerCases = ({ stepUp = false } = {}): ErrorCase[] =>
  refusals([
    [personErrors.notSignedIn, 'There is no session, or it has ended'],
    [personErrors.notIntegrationStaff, 'The person works for the operator or a partner'],
    [personErrors.foreignRequest, 'By session, without its token in `X-CSRF-Token`'],
    ...(stepUp
      ? ([[personErrors.stepUpRequired, 'By session: the passkey was not used for five minutes']] as const)
      : []),
  ]);

/** By key, or by the session of a person; the order is that of the reference. */
export const developerSecurity = ['integrationKey', 'personSession'] as const;

const figures = {
  consents: { awaiting: 2, active: 41, rejected: 3, revoked: 5, expired: 1 },
  days: [{ day: '2026-08-01', requested: 7, granted: 5, rejected: 1, reads: 112, refusedReads: 2 }],
  readErrors: [{ hour: '2026-08-01T08:00:00.000Z', code: 'consent_revoked', count: 2 }],
};

const operation = (
  rest: Pick<Operation, 'id' | 'summary' | 'answers'> & Partial<Operation>,
  stepUp = false,
): Operation => ({
  audience: 'partner',
  tag: 'Integrations',
  security: 'personSession',
  ...rest,
  errors: [
    ...refusals([[() => invalidField('query', 'is unknown'), 'A parameter or field is invalid or unknown']]),
    ...(rest.errors ?? []),
    ...developerCases({ stepUp }),
    ...refusals([[integrationErrors.rateLimitExceeded, 'More than 30 requests of the person in 10 seconds']]),
    ...commonCases,
  ],
});

/** By session only: a stolen key must not make another one. */
export const ownIntegrationReference = {
  show: operation({
    id: 'showOwnIntegration',
    summary: 'Show your integration',
    description: 'Its terms, and its keys with their last use.',
    answers: answer('The integration.'),
  }),
  rotate: operation(
    {
      id: 'rotateOwnIntegrationKey',
      summary: 'Make or replace the key of your integration',
      description: 'The answer has the token, once. Older keys work until the overlap ends.',
      requests: { example: { value: { overlapHours: 24 } } },
      answers: answer('The new key.', 201),
      errors: [
        ...refusals([[integrationErrors.integrationRevoked, 'The integration was revoked at this moment']]),
        ...bodyCases,
      ],
    },
    true,
  ),
  activity: operation({
    id: 'showIntegrationActivity',
    summary: 'Show consents, reads and read errors in figures',
    answers: exampleAnswer('Figures of the last 30 days, and of all consents by state.', figures),
  }),
};
