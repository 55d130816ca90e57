import { integrationErrors } from '#features/connect/integrations';
import { invalidField } from '#platform/errors/errors';
import { bodyCases, commonCases, type Operation, refusals } from '#platform/reference/operation';
import { consentErrors } from './errors.ts';
import { endedConsent } from './wire.ts';

const consentId = '0198a6d2-7e11-7a40-b1c5-9f3e2d4c6a80';
const integrationId = '0198a6a0-0000-7000-8000-0000000000c1';

const ofIntegration = { audience: 'partner', tag: 'Connect', security: 'integrationKey' } as const;

const keyCases = refusals([
  [integrationErrors.missingApiKey, 'The header `x-api-key` is missing'],
  [integrationErrors.invalidApiKey, 'The key is unknown, expired or revoked'],
  [
    integrationErrors.rateLimitExceeded,
    'Too many requests of the integration. Wait for `Retry-After` seconds',
  ],
]);
const queryCase = refusals([
  [() => invalidField('query', 'is unknown'), 'The request has a query parameter'],
]);

const ownCases = [
  ...keyCases,
  ...refusals([
    [consentErrors.foreignConsent, 'The consent belongs to another integration'],
    [consentErrors.consentNotFound, 'The consent does not exist'],
  ]),
];

const activeCases = [
  ...ownCases,
  ...refusals([[consentErrors.consentNotGranted, 'The user has not decided, or has declined']]),
  ...refusals(
    [
      [
        () => consentErrors.consentRevoked({ fields: { revoked_at: '2026-08-02T09:30:00.000Z' } }),
        'The consent was revoked at `revoked_at`',
      ],
      [
        () => consentErrors.consentExpired({ fields: { expired_at: '2026-08-30T12:01:10.000Z' } }),
        'The consent ended at `expired_at`',
      ],
    ],
    endedConsent,
  ),
];

export const granted = {
  consent_id: consentId,
  integration_id: integrationId,
  status: 'active',
  purpose: 'Open an account',
  requested_scopes: ['email', 'kyc'],
  optional_scopes: ['kyc'],
  scopes: ['email', 'kyc'],
  duration: { type: 'days', days: 30 },
  requested_at: '2026-07-31T12:00:00.000Z',
  link_expires_at: '2026-07-31T12:15:00.000Z',
  granted_at: '2026-07-31T12:01:10.000Z',
  expires_at: '2026-08-30T12:01:10.000Z',
  revoked_at: null,
  revoked_by: null,
};
const parameters = { consentId: { example: consentId } };

export const requestReference: Operation = {
  ...ofIntegration,
  id: 'requestConsent',
  summary: 'Request data of a user',
  description: [
    'Redirect the user to `link`. The user signs in, reads who asks for what, and decides. Then the user',
    'returns to `redirect_uri` with `consent_id`, the decision and your `state`. The link works once, for one',
    'user, for 15 minutes.',
  ].join('\n'),
  requests: {
    days: {
      summary: 'Email, and KYC data if the user agrees, for 30 days',
      value: {
        scopes: ['email', 'kyc'],
        optional_scopes: ['kyc'],
        redirect_uri: 'https://app.example.com/back',
        state: 'visit-17',
        purpose: 'Open an account',
        duration: { type: 'days', days: 30 },
      },
    },
  },
  answers: {
    201: {
      description: 'The request is stored.',
    },
  },
  errors: [
    ...refusals([
      [() => invalidField('scopes', 'must not be empty'), 'A field is missing or invalid'],
      [consentErrors.scopeNotRegistered, 'The integration may not ask for one of the scopes'],
      [consentErrors.nothingRequired, 'All scopes are optional, or an optional one is not in `scopes`'],
      [consentErrors.redirectNotRegistered, 'The redirect URI is not registered'],
      [consentErrors.purposeNotRegistered, 'The purpose is not registered'],
    ]),
    ...keyCases,
    ...bodyCases,
    ...commonCases,
  ],
};

export const readReference: Operation = {
  ...ofIntegration,
  id: 'readConsentedData',
  summary: 'Read consented data',
  description: 'The data that the user shares. Scopes that the user did not grant are absent from `user`.',
  parameters,
  answers: {
    200: {
      description: 'The data as it is now.',
    },
  },
  errors: [...queryCase, ...activeCases, ...commonCases],
};

export const showReference: Operation = {
  ...ofIntegration,
  id: 'showConsent',
  summary: 'Show a consent',
  description: 'The state of a consent, without data of the user.',
  parameters,
  answers: { 200: { description: 'The consent.' } },
  errors: [...queryCase, ...ownCases, ...commonCases],
};

export const reduceReference: Operation = {
  ...ofIntegration,
  id: 'reduceConsent',
  summary: 'Reduce a consent',
  description: 'Keeps some of the granted scopes. Scopes cannot be added: request a new consent for them.',
  parameters,
  requests: { email: { summary: 'Keep only email', value: { scopes: ['email'] } } },
  answers: {
    200: {
      description: 'The consent with its remaining scopes.',
    },
  },
  errors: [
    ...refusals([
      [() => invalidField('scopes', 'must not be empty'), 'The field is missing or invalid'],
      [consentErrors.scopeNotGranted, 'One of the scopes was not granted'],
    ]),
    ...activeCases,
    ...bodyCases,
    ...commonCases,
  ],
};

export const revokeReference: Operation = {
  ...ofIntegration,
  id: 'revokeConsent',
  summary: 'Revoke a consent',
  description: 'Ends a consent at once. Repeating the call has no effect.',
  parameters,
  answers: {
    200: {
      description: 'The revoked consent.',
    },
  },
  errors: [...queryCase, ...activeCases, ...commonCases],
};
