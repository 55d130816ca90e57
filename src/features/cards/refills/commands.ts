import { type Static, Type } from 'typebox';
import type { Ctx } from '#context';
import { alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, nullable, uuid } from '#platform/http/schemas';
import { formatCents } from '#platform/values/money';
import { issuerId, usd } from '../fields.ts';
import { configureRefill } from './configure-refill.ts';
import { listRefillRules } from './list-refill-rules.ts';
import { listRefillsAcrossUsers } from './list-refills-across-users.ts';
import type { RefillRow } from './queries/lists.ts';
import type { RefillRule } from './queries/rules.ts';
import { refillCurrencies, refillStatuses } from './states.ts';

const amount = Type.String({ description: 'US dollars, decimal string' });

const rule = Type.Object({
  cardIssuerUserId: Type.String(),
  threshold: amount,
  amount,
  network: Type.String(),
  currency: Type.Enum([...refillCurrencies]),
  enabled: Type.Boolean(),
  createdAt: dateTime,
  updatedAt: dateTime,
});

const refill = Type.Object({
  id: uuid,
  cardIssuerUserId: Type.String(),
  userId: uuid,
  amount,
  network: Type.String(),
  currency: Type.String(),
  status: Type.Enum([...refillStatuses]),
  retries: Type.Integer(),
  withdrawalId: nullable(uuid),
  transactionHash: nullable(Type.String()),
  executedAt: nullable(dateTime),
  error: nullable(Type.String()),
  dueAt: Type.String({
    format: 'date-time',
    description:
      'Next attempt; if failed, when the next refill may be opened; if completed, when the issuer’s credit is overdue',
  }),
  createdAt: dateTime,
});

export const refillCommands = [
  defineCommand({
    name: 'cards.configure-refill',
    summary:
      'Set when an account’s collateral is refilled from its user’s balance, and by how much. A change also ends the pause after a failed refill, and the wait for one that the issuer has not credited for 15 minutes.',
    changes: true,
    roles: alsoFor('support'),
    stepUp: true,
    examples: ['account_3 --threshold 20.00 --amount 50.00 --network polygon --currency USDC --enabled'],
    input: Type.Object(
      {
        cardIssuerUserId: issuerId,
        threshold: Type.String({ ...usd, description: 'US dollars: refill when collateral is below this' }),
        amount: Type.String({
          ...usd,
          description: 'US dollars that a refill pays; at least 1, and at least a tenth of the threshold',
        }),
        network: Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: 'See `GET /api/crypto/assets`' }),
        currency: Type.Enum([...refillCurrencies]),
        enabled: Type.Boolean(),
      },
      closed,
    ),
    output: rule,
    run: async (ctx: Ctx, input) => presentRule(await configureRefill(ctx, input)),
  }),
  defineCommand({
    name: 'cards.refill-rules',
    summary: 'List the rules for refilling collateral.',
    changes: false,
    roles: everyone,
    columns: ['enabled', 'threshold', 'amount', 'currency', 'network', 'cardIssuerUserId', 'updatedAt'],
    input: Type.Object(cursorInput, closed),
    output: cursorPage(rule),
    run: async (ctx: Ctx, input) => {
      const { items, nextCursor } = await listRefillRules(ctx, input);
      return { items: items.map(presentRule), nextCursor };
    },
  }),
  defineCommand({
    name: 'cards.refills',
    summary: 'List refills of collateral of all users, oldest first.',
    changes: false,
    roles: everyone,
    columns: ['status', 'amount', 'currency', 'network', 'createdAt', 'error', 'userId', 'id'],
    input: Type.Object(
      {
        userId: Type.Optional(uuid),
        status: Type.Optional(Type.Enum([...refillStatuses])),
        ...cursorInput,
      },
      closed,
    ),
    output: cursorPage(refill),
    run: async (ctx: Ctx, input) => {
      const { items, nextCursor } = await listRefillsAcrossUsers(ctx, input);
      return { items: items.map(presentRefill), nextCursor };
    },
  }),
];

function presentRule({ isEnabled, ...row }: RefillRule): Static<typeof rule> {
  return {
    ...row,
    threshold: formatCents(row.threshold),
    amount: formatCents(row.amount),
    enabled: isEnabled,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function presentRefill(row: RefillRow): Static<typeof refill> {
  return {
    ...row,
    amount: formatCents(row.amount),
    executedAt: row.executedAt?.toISOString() ?? null,
    dueAt: row.dueAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
  };
}
