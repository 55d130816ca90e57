import { adminCases, adminSecurity } from '#features/keys';
import { invalidField } from '#platform/errors/errors';
import { answer, commonCases, type Operation, refusals } from '#platform/reference/operation';
import { requestErrors } from './errors.ts';

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
  answers: answer('A page of requests.'),
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
