import { adminSecurity, sessionCases } from '#features/keys';
import { invalidField } from '#platform/errors/errors';
import { commonCases, exampleAnswer, type Operation, refusals } from '#platform/reference/operation';
import { withdrawalErrors } from '../errors.ts';
import { keyCases, paidExample, scopeCase } from '../reference.ts';

const of = { audience: 'partner', tag: 'Withdrawals' } as const;
const byPeople = { ...of, security: 'personSession' } as const;
const userId = '0198a6a0-0000-7000-8000-000000000001';
const requestedBy = 'person:0198a6a0-0000-7000-8000-000000000009';
const example = { ...paidExample, userId, network: 'base', needsApproval: false, requestedBy };

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
    answers: exampleAnswer('A page of withdrawals.', { items: [example], nextCursor: null }),
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
    answers: exampleAnswer('Counts and sums.', {
      waiting: 3,
      needApproval: 1,
      completed: 120,
      failed: 2,
      paid: [{ currency: 'USDC', network: 'base', amount: '4810.5' }],
    }),
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
    answers: exampleAnswer('How many are in each status.', {
      bulkId: paidExample.bulkId,
      userId,
      requestedBy,
      requestedByName: 'Ana Ribeiro',
      createdAt: paidExample.createdAt,
      updatedAt: paidExample.updatedAt,
      count: 2,
      byStatus: { queued: 0, pending: 1, processing: 0, completed: 1, failed: 0 },
      needApproval: 0,
      totals: [{ currency: 'USDC', network: 'base', amount: '25' }],
    }),
    errors: [...unknown, ...sessionCases(), ...limited, ...commonCases],
  },
  show: {
    ...byPeople,
    id: 'showWithdrawal',
    summary: 'Show a withdrawal',
    description: 'With each state and its time.',
    parameters: { withdrawalId: { example: paidExample.id } },
    answers: exampleAnswer('The withdrawal.', {
      ...example,
      requestedByName: 'Ana Ribeiro',
      states: [
        { status: 'queued', at: '2026-07-31T12:00:00.000Z' },
        { status: 'completed', at: '2026-07-31T12:00:41.000Z' },
      ],
    }),
    errors: [...unknown, ...sessionCases(), ...limited, ...commonCases],
  },
};
