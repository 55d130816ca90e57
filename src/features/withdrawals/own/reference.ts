import { adminSecurity, sessionCases } from '#features/keys';
import { invalidField } from '#platform/errors/errors';
import { answer, commonCases, type Operation, refusals } from '#platform/reference/operation';
import { withdrawalErrors } from '../errors.ts';
import { keyCases, paidExample, scopeCase } from '../reference.ts';

const of = { audience: 'partner', tag: 'Withdrawals' } as const;
const byPeople = { ...of, security: 'personSession' } as const;

const unknown = refusals([
  [withdrawalErrors.unauthorized, 'There is no session; no key is admitted'],
  [withdrawalErrors.withdrawalNotFound, 'You have no such withdrawals'],
  [() => invalidField('bulkId', 'must be a UUID'), 'The id or the query is invalid'],
]);
const badQuery = refusals([
  [() => invalidField('limit', 'must be <= 200'), 'A query parameter is invalid or unknown'],
]);
const noSession = refusals([[withdrawalErrors.unauthorized, 'There is no session; no key is admitted']]);
const parameters = {
  userId: { description: 'Only withdrawals of this user' },
  status: { description: 'Only withdrawals in this status' },
  bulkId: { description: 'Only withdrawals of this request' },
  startDate: { example: '2026-07-01' },
  endDate: { example: '2026-07-31' },
};

const limited = refusals([
  [withdrawalErrors.rateLimitExceeded, 'More than 60 requests of a user’s keys or a person in 10 seconds'],
]);

export const ownReference: Record<'list' | 'download' | 'summary' | 'bulk' | 'show', Operation> = {
  list: {
    ...of,
    security: adminSecurity,
    id: 'listPartnerWithdrawals',
    summary: 'List withdrawals of all users',
    description:
      'What the partner created for any user, newest first, by cursor. All filters must match. Users who are no longer on your list are included.',
    parameters,
    answers: answer('A page of withdrawals.'),
    errors: [
      ...badQuery,
      ...keyCases,
      ...scopeCase('withdrawals:read'),
      ...sessionCases(),
      ...limited,
      ...commonCases,
    ],
  },
  download: {
    ...byPeople,
    id: 'exportWithdrawals',
    summary: 'Download withdrawals as CSV',
    description:
      'The same set as the list, as a file. Cells that a spreadsheet would run begin with an apostrophe.',
    parameters,
    answers: {
      200: {
        description: 'The file, streamed. If it fails on the way, it is cut off.',
        files: { 'text/csv': 'id,bulkId,createdAt,…' },
      },
    },
    errors: [...badQuery, ...noSession, ...sessionCases(), ...limited, ...commonCases],
  },
  summary: {
    ...byPeople,
    id: 'summarizeWithdrawals',
    summary: 'Summarize withdrawals',
    description: 'What is under way, and what ended in the last 24 hours.',
    answers: answer('Counts and sums.'),
    errors: [
      ...refusals([[() => invalidField('query', 'is unknown'), 'The request has a query parameter']]),
      ...noSession,
      ...sessionCases(),
      ...limited,
      ...commonCases,
    ],
  },
  bulk: {
    ...byPeople,
    id: 'showBulk',
    summary: 'Show the progress of a bulk',
    parameters: { bulkId: { example: paidExample.bulkId } },
    answers: answer('How many are in each status.'),
    errors: [...unknown, ...sessionCases(), ...limited, ...commonCases],
  },
  show: {
    ...byPeople,
    id: 'showWithdrawal',
    summary: 'Show a withdrawal',
    description: 'With each state and its time.',
    parameters: { withdrawalId: { example: paidExample.id } },
    answers: answer('The withdrawal.'),
    errors: [...unknown, ...sessionCases(), ...limited, ...commonCases],
  },
};
