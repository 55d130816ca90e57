import { adminSecurity, scopeMissing, sessionCases } from '#features/keys';
import { invalidField } from '#platform/errors/errors';
import {
  bodyCases,
  commonCases,
  type ErrorCase,
  type Operation,
  refusals,
} from '#platform/reference/operation';
import { withdrawalErrors } from './errors.ts';

const userId = '0198a6a0-0000-7000-8000-000000000001';
const bulkId = '0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d47';

export const ofPartner = { audience: 'partner', tag: 'Withdrawals', security: adminSecurity } as const;
export const parameters = { userId: { example: userId } };

export const scopeCase = (scope: 'withdrawals:create' | 'withdrawals:read') =>
  refusals([[() => scopeMissing(scope), 'The key has other scopes']]);

export const keyCases = refusals([
  [withdrawalErrors.unauthorized, 'The token is missing or invalid'],
  [withdrawalErrors.addressNotAllowed, 'The key has an IP allowlist, and the caller is not on it'],
]);

const userCases: ErrorCase[] = [
  ...keyCases,
  ...refusals([
    [withdrawalErrors.userNotAllowed, 'The user is not on the allowed list of the partner'],
    [withdrawalErrors.userNotFound, '`userId` does not exist'],
  ]),
];

/** Of every request that creates withdrawals. */
export const creatorCases: ErrorCase[] = [
  ...userCases,
  ...scopeCase('withdrawals:create'),
  ...sessionCases({ changes: true, stepUp: true }),
];

export const storingCases: ErrorCase[] = refusals([
  [withdrawalErrors.deniedByRule, 'A rule of the operator denies it, such as a limit: see /api/limits'],
  [withdrawalErrors.requestInFlight, 'The first request with this key is not finished. Repeat it later'],
  [withdrawalErrors.idempotencyKeyReused, 'The key was used for a different request'],
]);

export const creationKey = { 'idempotency-key': { example: 'payout-2026-07-31-0042' } };

const invalid = (field: string, message: string) => () => invalidField(field, message);

export const createReference: Operation = {
  ...ofPartner,
  id: 'createWithdrawal',
  summary: 'Create a withdrawal',
  description: [
    'Stores a withdrawal as `queued` and pays it asynchronously. Follow it with',
    '[List withdrawals](#tag/withdrawals/GET/api/crypto/{userId}/withdraws).',
    '',
    '`to` decides who is paid:',
    '',
    '- An email address (with `@`) or a user id (UUID): the verified smart wallet of that user.',
    '- A wallet address (`0x` and 40 hex digits): that address.',
    '',
    'Send an `Idempotency-Key` to be able to repeat a request safely: the repeated request gets the first',
    'answer, with the header `idempotency-replayed: true`, and nobody is paid twice.',
    '',
    'How many a partner may create in 10 seconds is limited, for each user and in all: see the header',
    '`RateLimit`. Repeated requests do not count.',
    '',
    'By session, it needs the role `finance` or `owner`, and the passkey within the last five minutes.',
  ].join('\n'),
  parameters: { ...parameters, ...creationKey },
  requests: {
    address: {
      summary: 'To a wallet address',
      value: {
        amount: '12.50',
        to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        currency: 'USDC',
        network: 'base',
        externalId: 'order-17',
      },
    },
    email: { summary: 'To a user, by email: USDT on polygon', value: { amount: '3', to: 'ana@example.com' } },
  },
  answers: {
    200: {
      description: 'The withdrawal is stored. `externalId` is present if the request has one.',
    },
  },
  errors: [
    ...refusals([
      [
        invalid('amount', 'must be digits with at most 6 decimals, such as 12.5'),
        'A field is invalid. `details` lists all such fields',
      ],
      [invalid('network', 'must be one of polygon, ethereum, base'), 'The network is not supported'],
    ]),
    ...creatorCases,
    ...refusals([
      [withdrawalErrors.receiverNotEligible, 'The recipient’s wallet is blocked from receiving tokens'],
      [
        withdrawalErrors.recipientNotFound,
        '`to` is no known email or user, or the user has no verified wallet',
      ],
      [withdrawalErrors.walletNotFound, 'The wallet address is invalid, or nobody could use tokens there'],
      [
        withdrawalErrors.rateLimitExceeded,
        'The partner creates too many in 10 seconds, for this user or in all. Wait for `Retry-After` seconds',
      ],
    ]),
    ...storingCases,
    ...bodyCases,
    ...commonCases,
  ],
};

/** A withdrawal that is paid. */
export const paidExample = {
  id: '0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46',
  bulkId,
  status: 'completed',
  amountToPayToken: '12.5',
  outCurrencyIsoCode: 'USDC',
  toAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  externalId: 'order-17',
  transactionHash: `0x${'c4'.repeat(32)}`,
  transferTokenStatus: 'confirmed',
  errorMessage: null,
  createdAt: '2026-07-31T12:00:00.000Z',
  updatedAt: '2026-07-31T12:00:41.000Z',
};

export const listReference: Operation = {
  ...ofPartner,
  id: 'listWithdrawals',
  summary: 'List withdrawals',
  description: 'Withdrawals of a user that the partner created, newest first. All filters must match.',
  parameters: {
    ...parameters,
    page: { example: 1, description: 'Page number, from 1' },
    perPage: { example: 20, description: 'Withdrawals in a page' },
    bulkId: { description: 'Only withdrawals with this id, from the answer to their creation' },
    transactionHash: { description: 'Only the withdrawal that this transaction paid; upper or lower case' },
    status: { description: 'Only withdrawals in this status' },
    externalId: { description: 'Only withdrawals that were created with this identifier' },
  },
  answers: {
    200: {
      description: 'A page of withdrawals. It is empty after the last one.',
    },
  },
  errors: [
    ...refusals([[invalid('perPage', 'must be at most 200'), 'A query parameter is invalid or unknown']]),
    ...userCases,
    ...scopeCase('withdrawals:read'),
    ...sessionCases(),
    ...commonCases,
  ],
};

export const limitsReference: Operation = {
  ...ofPartner,
  id: 'readLimits',
  summary: 'Read limits',
  description: [
    'What the limits of your account leave to this key, and when more may be paid.',
    'A withdrawal beyond a limit is refused with 403, or waits for approval.',
    'By session, `userId` is required, and the limits are those of the person.',
  ].join(' '),
  answers: {
    200: {
      description: 'Each limit, in each currency that it applies to.',
    },
  },
  errors: [
    ...refusals([
      [invalid('userId', 'must be a UUID'), 'The query is invalid'],
      [withdrawalErrors.userNotFound, 'No such user'],
      [withdrawalErrors.userNotAllowed, 'The user is not on your list'],
    ]),
    ...keyCases,
    ...sessionCases(),
    ...commonCases,
  ],
};

export const assetsReference: Operation = {
  ...ofPartner,
  id: 'listAssets',
  summary: 'List assets',
  description:
    'Currencies and networks that can be withdrawn, with their limits and finality. By session, `remaining` is null: see /api/limits.',
  answers: {
    200: {
      description: 'All assets.',
    },
  },
  errors: [
    ...refusals([[invalid('query', 'is unknown'), 'The request has a query parameter']]),
    ...keyCases,
    ...sessionCases(),
    ...commonCases,
  ],
};
