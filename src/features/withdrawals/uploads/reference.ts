import { sessionCases } from '#features/keys';
import {
  answer,
  bodyCases,
  commonCases,
  invalidCase,
  type Operation,
  refusals,
} from '#platform/reference/operation';
import { withdrawalErrors } from '../errors.ts';
import { storingCases } from '../reference.ts';

const of = { audience: 'partner', tag: 'Withdrawals', security: 'personSession' } as const;
const id = '0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d50';
const parameters = { uploadId: { example: id } };

const preview = {
  id,
  userId: '0198a6a0-0000-7000-8000-000000000001',
  createdAt: '2026-07-31T12:00:00.000Z',
  rows: [
    { row: 2, to: 'ana@example.com', amount: '12.50', currency: 'USDC', network: 'base', externalId: null },
  ],
  faults: [],
  totals: [{ currency: 'USDC', network: 'base', amount: '12.5', count: 1, available: '340' }],
  verdicts: { needApproval: 0, denied: [] },
  paid: [],
  repeats: [],
};

const cases = refusals([
  [withdrawalErrors.unauthorized, 'There is no session; no key is admitted'],
  [withdrawalErrors.userNotAllowed, 'The user is not on the allowed list of the partner'],
  [withdrawalErrors.userNotFound, 'The user does not exist'],
  [withdrawalErrors.rateLimitExceeded, 'Too many files in a minute. Wait for `Retry-After` seconds'],
]);
const notFound = refusals([
  [withdrawalErrors.uploadNotFound, 'You have no such file, or it is older than a day'],
]);

export const uploadReference: Record<'upload' | 'show' | 'confirm', Operation> = {
  upload: {
    ...of,
    id: 'uploadPayouts',
    summary: 'Upload a file of payouts',
    description: [
      'Stores a CSV with the columns `to`, `amount`, `currency`, `network` and `externalId` for a day, and says',
      'what its confirmation would do. Nothing is paid yet. At most 1,000 rows and 1 MB.',
    ].join('\n'),
    requests: {
      one: {
        value: {
          userId: preview.userId,
          csv: 'to,amount,currency,network\nana@example.com,12.50,USDC,base\n',
        },
      },
    },
    answers: answer('What it would do.', 201),
    errors: [
      ...invalidCase('csv', 'row 1: the column to is missing', 'The file is no table with these columns'),
      ...cases,
      ...sessionCases({ changes: true }),
      ...bodyCases,
      ...commonCases,
    ],
  },
  show: {
    ...of,
    id: 'showUpload',
    summary: 'Show a file of payouts',
    description: 'What its confirmation would do now.',
    parameters,
    answers: answer('What it would do.'),
    errors: [
      ...invalidCase('uploadId', 'must be a UUID', 'The id or the query is invalid'),
      ...cases,
      ...notFound,
      ...sessionCases(),
      ...commonCases,
    ],
  },
  confirm: {
    ...of,
    id: 'confirmUpload',
    summary: 'Pay a file of payouts',
    description: [
      'Creates one bulk. The same content is paid once, by any person: the second confirmation gets the',
      'first bulk, with `isReplay`. To pay it again on purpose, send how often it was paid as `times`.',
    ].join('\n'),
    parameters,
    requests: { first: { value: { times: 0, repeats: 0 } } },
    answers: answer('The bulk.'),
    errors: [
      ...invalidCase('times', 'is more often than the file was paid', 'A field is invalid'),
      ...refusals([[withdrawalErrors.bulkRefused, 'Some rows are invalid: `details` has what is wrong']]),
      ...refusals([[withdrawalErrors.moreRepeats, 'Equal payments were made since you read the preview']]),
      ...cases,
      ...notFound,
      ...storingCases,
      ...sessionCases({ changes: true, stepUp: true }),
      ...bodyCases,
      ...commonCases,
    ],
  },
};
