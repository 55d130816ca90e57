import { Type } from 'typebox';
import type { Ctx } from '../context.ts';
import { defineCommand } from '../platform/command.ts';
import { line, uuid } from '../platform/schemas.ts';
import { fundAccount } from './fund-account.ts';
import { listBalances } from './list-balances.ts';

const network = Type.String({
  pattern: '^[A-Za-z0-9-]{1,40}$',
  description: 'Such as polygon, ethereum or base',
});
const currency = Type.String({ pattern: '^[A-Za-z0-9]{1,20}$', description: 'Such as USDT, USDC or EURC' });
const decimal = Type.String({ description: 'Decimal string' });

export const ledgerCommands = [
  defineCommand({
    name: 'ledger.fund',
    summary: "Add funds to a user's balance.",
    changes: true,
    input: Type.Object(
      {
        userId: uuid,
        network,
        currency,
        amount: Type.String({ maxLength: 80, description: 'Decimal above 0, such as 12.5' }),
        reference: Type.Optional({
          ...line(200),
          description: 'Your own name for it: the same again under it changes nothing',
        }),
      },
      { additionalProperties: false },
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
    summary: 'Show what a user has of each asset, and how much of it is held for withdrawals.',
    changes: false,
    input: Type.Object({ userId: uuid }, { additionalProperties: false }),
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
];
