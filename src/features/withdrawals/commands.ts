import { type Static, Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import type { Ctx } from '#context';
import type { AttemptLife } from '#features/payouts';
import { alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, line, nullable, pastedTransactionHash, uuid } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import { cancelWithdrawal } from './cancel-withdrawal.ts';
import type { TracedRow } from './queries/withdrawals.ts';
import { listAcrossPartners } from './search/list-across-partners.ts';
import { showWithdrawal, type WithdrawalLife } from './show-withdrawal.ts';
import { statuses } from './states.ts';

const withdrawal = Type.Object({
  id: uuid,
  bulkId: uuid,
  partnerId: uuid,
  userId: uuid,
  network: Type.String(),
  currency: Type.String(),
  amount: Type.String(),
  toAddress: Type.String(),
  recipientUserId: nullable(uuid),
  externalId: nullable(Type.String()),
  status: Type.Enum([...statuses]),
  transferTokenStatus: nullable(Type.String()),
  transactionHash: nullable(Type.String()),
  errorMessage: nullable(Type.String()),
  waitingFor: nullable(Type.String()),
  keyId: Type.String(),
  callerAddress: nullable(Type.String()),
  requestId: nullable(uuid),
  createdAt: dateTime,
  updatedAt: dateTime,
});

const attemptProperties = {
  hash: Type.String(),
  maxFeePerGas: Type.String(),
  maxPriorityFeePerGas: Type.String(),
  signedAt: dateTime,
  sentAt: nullable(dateTime),
  sends: Type.Integer(),
  lastAnswer: nullable(Type.String()),
};

const life = Type.Object({
  ...withdrawal.properties,
  states: Type.Array(Type.Object({ status: Type.Enum([...statuses]), at: dateTime })),
  payout: nullable(
    Type.Object({
      hotWallet: Type.String(),
      nonce: Type.Integer(),
      state: Type.String(),
      openedAt: dateTime,
      settledAt: nullable(dateTime),
      attempts: Type.Array(
        Type.Object({
          ...attemptProperties,
          isMined: Type.Boolean(),
        }),
      ),
    }),
  ),
  formerPayouts: Type.Array(
    Type.Object({
      hotWallet: Type.String(),
      nonce: Type.Integer(),
      voidedAt: nullable(dateTime, { description: 'Null if another withdrawal has the nonce now' }),
      usedBy: nullable(Type.String(), { description: 'Hash of the transaction that used the nonce' }),
      attempts: Type.Array(Type.Object(attemptProperties)),
    }),
    { description: 'Nonces that were given up, with what was signed: none of it can pay any more' },
  ),
});

const anyId = Type.String({
  ...line(255),
  description:
    'Its id, bulk id, transaction hash (also of a replaced transaction), external id or Idempotency-Key',
});

const amount = (description: string) =>
  Type.Optional(Type.String({ pattern: '^(0|[1-9][0-9]{0,30})(\\.[0-9]{1,36})?$', description }));

const searchInput = {
  waitingFor: Type.Optional(
    Type.String({ ...line(100), description: 'Only pending ones that wait for this, such as `gas`' }),
  ),
  user: Type.Optional(Type.String({ ...line(254), description: 'Id or email of the user who pays' })),
  partnerId: Type.Optional(uuid),
  keyId: Type.Optional(Type.String({ ...line(100), description: 'Id of the API key that created them' })),
  externalId: Type.Optional(line(255)),
  bulkId: Type.Optional(uuid),
  transactionHash: Type.Optional(
    Type.String({ ...pastedTransactionHash, description: 'Also of a transaction that was replaced' }),
  ),
  toAddress: Type.Optional(
    Type.String({ pattern: '^0[xX][0-9a-fA-F]{40}$', description: 'Address of the recipient' }),
  ),
  amountMin: amount('At least this amount, such as 12.50, in any currency'),
  amountMax: amount('At most this amount'),
  startDate: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Created at or after this: ISO 8601, such as 2026-01 or 2026-01-31',
    }),
  ),
  endDate: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Created at or before this; a year, a month or a day is all of it',
    }),
  ),
};

export const withdrawalCommands = [
  defineCommand({
    name: 'withdrawals.list',
    summary: 'List withdrawals of all partners, newest first. All filters must match.',
    changes: false,
    roles: everyone,
    examples: ['--status pending --older-than-seconds 3600'],
    columns: [
      ...['status', 'amount', 'currency', 'network', 'toAddress', 'createdAt', 'id'],
      ...['waitingFor', 'errorMessage'],
    ],
    input: Type.Object(
      {
        status: Type.Optional(Type.Enum([...statuses])),
        network: Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,40}$' })),
        olderThanSeconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 3_153_600_000,
            description: 'Only withdrawals older than this',
          }),
        ),
        ...searchInput,
        ...cursorInput,
      },
      closed,
    ),
    output: cursorPage(withdrawal),
    run: async (ctx: Ctx, input) => {
      const { items, nextCursor } = await listAcrossPartners(ctx, input);
      return { items: items.map(present), nextCursor };
    },
  }),
  defineCommand({
    name: 'withdrawals.show',
    summary: 'Show the history of a withdrawal: each state with its time, and each signed transaction.',
    changes: false,
    roles: everyone,
    input: Type.Object({ withdrawalId: anyId }, closed),
    output: life,
    run: async (ctx: Ctx, input) => presentLife(await showWithdrawal(ctx, input)),
  }),
  defineCommand({
    name: 'withdrawals.cancel',
    summary: 'Cancel a withdrawal that is not signed yet and release its hold.',
    changes: true,
    roles: alsoFor('treasury', 'compliance'),
    input: Type.Object({ withdrawalId: uuid, reason: line(200) }, closed),
    output: withdrawal,
    run: async (ctx: Ctx, input) => present(await cancelWithdrawal(ctx, input)),
  }),
];

function present(row: TracedRow): Static<typeof withdrawal> {
  const { decimals, amount, transferStatus, ...rest } = row;
  return {
    ...rest,
    amount: formatMinor(amount, decimals),
    toAddress: checksumAddress(row.toAddress),
    transferTokenStatus: transferStatus,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function presentLife({ withdrawal, moves, payout, formerPayouts }: WithdrawalLife): Static<typeof life> {
  return {
    ...present(withdrawal),
    states: moves.map(({ status, at }) => ({ status, at: at.toISOString() })),
    payout: payout
      ? {
          hotWallet: checksumAddress(payout.address),
          nonce: Number(payout.nonce),
          state: payout.state,
          openedAt: payout.openedAt.toISOString(),
          settledAt: payout.settledAt?.toISOString() ?? null,
          attempts: payout.attempts.map((attempt) => ({
            ...presentAttempt(attempt),
            isMined: attempt.hash === payout.minedHash,
          })),
        }
      : null,
    formerPayouts: formerPayouts.map(({ address, nonce, voidedAt, usedBy, attempts }) => ({
      hotWallet: checksumAddress(address),
      nonce: Number(nonce),
      voidedAt: voidedAt?.toISOString() ?? null,
      usedBy,
      attempts: attempts.map(presentAttempt),
    })),
  };
}

const presentAttempt = ({ maxFeePerGas, maxPriorityFeePerGas, signedAt, sentAt, ...rest }: AttemptLife) => ({
  ...rest,
  maxFeePerGas: String(maxFeePerGas),
  maxPriorityFeePerGas: String(maxPriorityFeePerGas),
  signedAt: signedAt.toISOString(),
  sentAt: sentAt?.toISOString() ?? null,
});
