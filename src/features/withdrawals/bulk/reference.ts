import { answer, bodyCases, commonCases, type Operation, refusals } from '#platform/reference/operation';
import { withdrawalErrors } from '../errors.ts';
import { creationKey, creatorCases, ofPartner, parameters, storingCases } from '../reference.ts';

export const bulkReference: Operation = {
  ...ofPartner,
  id: 'createBulk',
  summary: 'Create withdrawals in bulk',
  description: [
    'Stores up to 1,000 withdrawals of a user as `queued`, all or none, under one `bulkId`. List them with the',
    'filter `bulkId` of [List withdrawals](#tag/withdrawals/GET/api/crypto/{userId}/withdraws).',
    '',
    'If some cannot be created, nothing is stored, and `details` names each of them by its place, such as',
    '`withdrawals.3.to`.',
    '',
    'Send an `Idempotency-Key`, as for a single withdrawal. A key holds for both: it is refused for another',
    'request of either kind.',
    '',
    'How many requests a partner may send in a minute is limited: see the header `RateLimit`.',
  ].join('\n'),
  parameters: { ...parameters, ...creationKey },
  requests: {
    two: {
      summary: 'Two withdrawals',
      value: {
        withdrawals: [
          {
            amount: '12.50',
            to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
            currency: 'USDC',
            network: 'base',
            externalId: 'salary-07-ana',
          },
          { amount: '3', to: 'ana@example.com', externalId: 'salary-07-bruno' },
        ],
      },
    },
  },
  answers: answer('All withdrawals are stored.'),
  errors: [
    ...refusals([[withdrawalErrors.bulkRefused, 'Some are invalid: `details` has what is wrong with each']]),
    ...creatorCases,
    ...storingCases,
    ...refusals([
      [
        withdrawalErrors.rateLimitExceeded,
        'Too many bulk requests in a minute. Wait for `Retry-After` seconds',
      ],
    ]),
    ...bodyCases,
    ...commonCases,
  ],
};
