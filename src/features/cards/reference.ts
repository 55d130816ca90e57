import { Type } from 'typebox';
import { commonErrors } from '#platform/errors/errors';
import { dateTime } from '#platform/http/schemas';
import { anyFields, bodyCases, commonCases, type Operation, refusals } from '#platform/reference/operation';
import { cardErrors } from './errors.ts';

/** The webhook of the card issuer. */
export const eventReference: Operation = {
  audience: 'operator',
  tag: 'Card issuer',
  id: 'receiveIssuerEvent',
  summary: 'Receive an event of the card issuer',
  description:
    'Signed as in Standard Webhooks. Repeating an event has no effect. See `docs/issuer-protocol.md`.',
  body: Type.Object(
    {
      id: Type.String(),
      sequence: Type.String({ description: 'Number of the event, without gaps' }),
      createdAt: dateTime,
      type: Type.Enum(['user.created', 'card.changed', 'transaction.changed', 'movement.posted']),
      data: Type.Unsafe<object>({
        type: 'object',
        description: 'The whole state after the event',
        ...anyFields,
      }),
    },
    { title: 'IssuerEvent' },
  ),
  requests: {
    collateral: {
      summary: 'Collateral was deposited',
      value: {
        id: 'event_1042',
        sequence: '1042',
        createdAt: '2026-08-01T02:00:00.000Z',
        type: 'movement.posted',
        data: {
          id: 'movement_77',
          cardIssuerUserId: 'account_3',
          sequence: 12,
          action: 'deposit',
          type: 'credit',
          status: 'completed',
          amount: '25.00',
          previousBalance: '300.00',
          runningBalance: '325.00',
          description: 'Collateral deposit',
          transactionId: null,
          reference: null,
          createdAt: '2026-08-01T02:00:00.000Z',
        },
      },
    },
  },
  answers: { 204: { description: 'Accepted, or already known.' } },
  errors: [
    ...refusals([
      [
        () => commonErrors.invalidRequest({ message: 'Body is not an event of the card issuer' }),
        'The body is not an event of the protocol',
      ],
      [cardErrors.webhookNotSigned, 'The signature is missing, wrong or too old'],
    ]),
    ...bodyCases,
    ...commonCases,
  ],
};

// Answers of `GET /api/history` for the features of cards.

const pagination = { hasNextPage: false, currentPage: 0, pageSize: 10, numberOfPages: 1, totalCount: 1 };

export const transactionsExample = {
  userCardTransactions: [
    {
      transaction: {
        id: 'transaction_9',
        amount: 9.5,
        merchantName: 'Padaria Lisboa',
        createdAt: '2026-07-31T08:12:45.000Z',
        type: 'purchase',
        status: 'settled',
        currency: 'USD',
        description: null,
        merchantCategory: 'Bakeries',
        merchantCountry: 'PT',
        localAmount: '8.10',
        localCurrency: 'EUR',
        authorizedAt: '2026-07-31T08:12:45.000Z',
        settledAt: '2026-08-01T02:00:00.000Z',
        declineReason: null,
      },
      card: { name: 'Ana Ribeiro', nickname: 'Travel', lastFourDigits: '4242' },
    },
  ],
  pagination,
};

export const summaryExample = {
  userCardsSnapshot: [
    {
      id: 'card_17',
      nickname: 'Travel',
      lastFourDigits: '4242',
      status: 'active',
      spendingLimit: 500,
      spendingInterval: 'monthly',
    },
  ],
  pagination,
};

export const balanceExample = {
  cardIssuerUserCollateralMovement: [
    {
      amount: 9.5,
      runningBalance: 290.5,
      previousBalance: 300,
      description: 'Padaria Lisboa',
      createdAt: '2026-08-01T02:00:00.000Z',
      type: 'debit',
    },
  ],
  pagination,
};

/** An item of `autoRefillHistories`, as events have it. */
export const refillExample = {
  id: '0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46',
  amount: '200.00',
  status: 'completed',
  retries: 0,
  transactionHash: `0x${'c4'.repeat(32)}`,
  executedAt: '2026-07-31T12:00:41.000Z',
  cardIssuerUserId: 'user_3',
  createdAt: '2026-07-31T12:00:00.000Z',
};
