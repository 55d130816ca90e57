import { Type } from 'typebox';
import type { Ctx } from '#context';
import { adminOnly, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { closed, dateTime, line, nullable, transactionHash, uuid } from '#platform/http/schemas';
import { fundAccount } from './fund-account.ts';
import { lineTypes } from './lines/line.ts';
import { listBalances } from './list-balances.ts';
import { postBatch } from './post-batch.ts';
import { recordUnsettled } from './unsettled/record-unsettled.ts';
import { settleUnsettled } from './unsettled/settle-unsettled.ts';
import { unsettledStatuses } from './unsettled/states.ts';
import { updateUnsettled } from './unsettled/update-unsettled.ts';
import { verifyCommand } from './verify/command.ts';
import { verdictsCommand } from './verify/verdicts-command.ts';

const network = Type.String({
  pattern: '^[A-Za-z0-9-]{1,40}$',
  description: 'Such as polygon, ethereum or base',
});
const currency = Type.String({ pattern: '^[A-Za-z0-9]{1,20}$', description: 'Such as USDT, USDC or EURC' });
const decimal = Type.String({ description: 'Decimal string' });

const amount = Type.String({ maxLength: 80, description: 'Decimal above 0, such as 12.5' });
const operationId = { ...line(200), description: 'Operation id; legs of one operation share it' };
const transactionType = Type.Enum([...lineTypes], {
  description: 'buy is a deposit, sell a withdrawal, swap-bridge a conversion, transfer-token a transfer',
});
const status = Type.Enum([...unsettledStatuses]);

const legFields = {
  network,
  assetSent: Type.Optional(currency),
  amountSent: Type.Optional(amount),
  assetReceived: Type.Optional(currency),
  amountReceived: Type.Optional(amount),
};
const words = {
  transactionDate: Type.Optional({ ...dateTime, description: 'Default: now' }),
  description: line(500),
  transactionPurpose: Type.Optional(line(200)),
  userDescription: Type.Optional(line(500)),
};
const onChainFields = {
  transactionHash,
  logIndex: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
};
const unsettledRecord = Type.Object({
  id: Type.String(),
  uniqueHashId: Type.String(),
  transactionDate: dateTime,
  transactionType,
  description: Type.String(),
  status,
  statusReason: nullable(Type.String()),
  network: Type.String(),
  amount: decimal,
  assetSent: nullable(Type.String()),
  amountSent: nullable(decimal),
  assetReceived: nullable(Type.String()),
  amountReceived: nullable(decimal),
  transactionPurpose: Type.String(),
  userDescription: nullable(Type.String()),
  updatedAt: dateTime,
});

export const ledgerCommands = [
  defineCommand({
    name: 'ledger.fund',
    summary: "Add funds to a user's balance.",
    changes: true,
    roles: adminOnly,
    stepUp: true,
    input: Type.Object(
      {
        userId: uuid,
        network,
        currency,
        amount: Type.String({ maxLength: 80, description: 'Decimal above 0, such as 12.5' }),
        reference: Type.Optional({
          ...line(200),
          description: 'Idempotency key: repeating it has no effect',
        }),
      },
      closed,
    ),
    output: Type.Object({
      postingId: Type.String(),
      userId: uuid,
      network: Type.String(),
      currency: Type.String(),
      amount: decimal,
      balance: decimal,
      available: decimal,
      replayed: Type.Boolean(),
    }),
    run: (ctx: Ctx, input) => fundAccount(ctx, input),
  }),
  defineCommand({
    name: 'ledger.balances',
    summary: 'Show a user’s balance of each asset, and how much of it is held for withdrawals.',
    changes: false,
    roles: everyone,
    input: Type.Object({ userId: uuid }, closed),
    output: Type.Object({
      items: Type.Array(
        Type.Object({
          network: Type.String(),
          currency: Type.String(),
          balance: decimal,
          held: decimal,
          available: decimal,
        }),
      ),
    }),
    run: (ctx: Ctx, input) => listBalances(ctx, input),
  }),
  defineCommand({
    name: 'ledger.post',
    summary: 'Post lines into users’ ledgers, all or none: deposits, withdrawals, conversions, transfers.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    examples: [
      '--key import-2026-03 --lines @lines.json',
      `--key import-2026-04 --lines '[{"userId":"0198a6a0-0000-7000-8000-000000000001","transactionType":"buy","network":"polygon","assetReceived":"USDC","amountReceived":"12.50","description":"Deposit"}]'`,
    ],
    bodyBytesMax: 16 * 1024 * 1024,
    input: Type.Object(
      {
        key: { ...line(200), description: 'Idempotency key: repeating it has no effect' },
        lines: Type.Array(
          Type.Object(
            {
              userId: uuid,
              id: Type.Optional(operationId),
              transactionType,
              ...legFields,
              ...words,
              executedAt: Type.Optional(dateTime),
              transactionHash: Type.Optional(onChainFields.transactionHash),
              logIndex: Type.Optional(onChainFields.logIndex),
            },
            closed,
          ),
          { minItems: 1, maxItems: 10_000 },
        ),
      },
      closed,
    ),
    output: Type.Object({ postingId: Type.String(), lines: Type.Integer(), replayed: Type.Boolean() }),
    run: (ctx: Ctx, input) => postBatch(ctx, input),
  }),
  defineCommand({
    name: 'ledger.record-unsettled',
    summary: 'Record an operation of a user that is not settled yet.',
    changes: true,
    roles: adminOnly,
    examples: [
      `0198a6a0-0000-7000-8000-000000000001 --transaction-type buy --status pending --description 'Bank transfer' --legs '[{"network":"polygon","assetReceived":"USDC","amountReceived":"12.50"}]'`,
    ],
    input: Type.Object(
      {
        userId: uuid,
        id: Type.Optional({
          ...operationId,
          description: 'Kept when the record settles; repeating it has no effect',
        }),
        transactionType,
        status,
        statusReason: Type.Optional(line(500)),
        ...words,
        legs: Type.Array(Type.Object(legFields, closed), {
          minItems: 1,
          maxItems: 2,
          description: 'One leg, or two for a conversion between networks',
        }),
      },
      closed,
    ),
    output: Type.Object({ records: Type.Array(unsettledRecord), replayed: Type.Boolean() }),
    run: (ctx: Ctx, input) => recordUnsettled(ctx, input),
  }),
  defineCommand({
    name: 'ledger.update-unsettled',
    summary: 'Update the status or text of an unsettled record.',
    changes: true,
    roles: adminOnly,
    examples: [
      `0198a6a0-0000-7000-8000-000000000001 order-17 --status rejected --status-reason 'No payment'`,
    ],
    input: Type.Object(
      {
        userId: uuid,
        id: line(200),
        status: Type.Optional(status),
        statusReason: Type.Optional(nullable(line(500))),
        description: Type.Optional(line(500)),
        userDescription: Type.Optional(nullable(line(500))),
      },
      closed,
    ),
    output: Type.Object({ records: Type.Array(unsettledRecord) }),
    run: (ctx: Ctx, input) => updateUnsettled(ctx, input),
  }),
  defineCommand({
    name: 'ledger.settle',
    summary: 'Move an unsettled record into the ledger.',
    changes: true,
    roles: adminOnly,
    stepUp: true,
    input: Type.Object(
      {
        userId: uuid,
        id: line(200),
        transactionDate: words.transactionDate,
        executedAt: Type.Optional(dateTime),
        onChain: Type.Optional(
          Type.Array(Type.Object(onChainFields, closed), {
            minItems: 1,
            maxItems: 2,
            description: 'On-chain places of its legs, in the same order',
          }),
        ),
      },
      closed,
    ),
    output: Type.Object({ postingId: Type.String(), id: Type.String(), replayed: Type.Boolean() }),
    run: (ctx: Ctx, input) => settleUnsettled(ctx, input),
  }),
  verifyCommand,
  verdictsCommand,
];
