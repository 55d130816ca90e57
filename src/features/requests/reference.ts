import { adminCases, adminSecurity } from '#features/keys';
import { invalidField } from '#platform/errors/errors';
import { commonCases, type Operation, refusals } from '#platform/reference/operation';
import { requestErrors } from './errors.ts';

const example = {
  requestId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  at: '2026-07-31T12:00:00.123Z',
  partnerId: '0198a6a0-0000-7000-8000-000000000001',
  by: 'key',
  keyId: 'k3y7abcdefgh2345',
  personId: null,
  method: 'POST',
  route: '/api/crypto/:userId/withdraw',
  path: '/api/crypto/0198a6a0-0000-7000-8000-000000000002/withdraw',
  status: 403,
  errorCode: 'scope_missing',
  durationMs: 4,
  callerAddress: '203.0.113.7',
};

export const listRequestsReference: Operation = {
  audience: 'partner',
  tag: 'Requests',
  id: 'listRequests',
  summary: 'List requests',
  description: [
    'What was asked with keys of the partner, and by its people by session, newest first. People need the role',
    '`developer` or `owner`.',
    '',
    '- Refused requests are listed if the secret of their key was right, also if the key is expired or revoked.',
    '- Rows appear after about a second. They are kept for 7 days, and at most the newest 100,000.',
    '- It is for looking things up: under overload, or when a server crashes, rows can be missing.',
    '- Queries, headers and bodies are not kept.',
  ].join('\n'),
  security: adminSecurity,
  answers: {
    200: {
      description: 'A page of requests.',
      examples: { answer: { value: { items: [example], nextCursor: null } } },
    },
  },
  errors: [
    ...refusals([
      [
        () => invalidField('startDate', 'must not be after endDate'),
        'A query parameter is invalid or unknown',
      ],
    ]),
    ...adminCases(requestErrors, {
      scope: 'partner:admin',
      quota: 'More than 30 requests of the user or person in 10 seconds',
    }),
    ...commonCases,
  ],
};
