import { type Static, Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import { cardStatuses, spendingIntervals } from '#adapters/issuer';
import type { Ctx } from '#context';
import { alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { formatCents } from '#platform/values/money';
import { askIssuer } from './ask-issuer.ts';
import { catchUp } from './catch-up.ts';
import { createCards } from './create-cards.ts';
import { cardTerms, idempotencyKey, issuerId, newCards, usd } from './fields.ts';
import { type CardLife, inspectCard } from './inspect-card.ts';
import { listAcrossUsers } from './list-across-users.ts';
import { openAccount } from './open-account.ts';
import type { CardAccount } from './queries/accounts.ts';
import type { CardRow } from './queries/cards.ts';
import { type SimulatedActivity, simulateActivity } from './simulate-activity.ts';
import { skipEvent } from './skip-event.ts';
import { updateCard } from './update-card.ts';

const amount = Type.String({ description: 'US dollars, decimal string' });
const terms = {
  nickname: nullable(Type.String()),
  status: Type.Enum([...cardStatuses]),
  spendingLimit: amount,
  spendingInterval: Type.Enum([...spendingIntervals]),
};

const card = Type.Object({
  id: Type.String(),
  userId: uuid,
  cardIssuerUserId: Type.String(),
  name: Type.String(),
  lastFourDigits: Type.String(),
  ...terms,
  version: Type.Integer(),
  createdAt: dateTime,
  updatedAt: dateTime,
});

const account = Type.Object({
  cardIssuerUserId: Type.String(),
  userId: uuid,
  collateralAddress: Type.String({ description: 'Where collateral is paid to on chain' }),
  collateral: amount,
  createdAt: dateTime,
});

const life = Type.Object({
  ...card.properties,
  account,
  recentTransactions: Type.Integer({ description: 'Transactions of the last 30 days' }),
  versions: Type.Array(Type.Object({ version: Type.Integer(), ...terms, validAt: dateTime }), {
    description: 'Past states, newest first; at most 100',
  }),
});

const activity = Type.Object({
  transaction: nullable(
    Type.Object({
      id: Type.String(),
      cardId: Type.String(),
      type: Type.String(),
      status: Type.String(),
      amount,
      merchantName: Type.String(),
      declineReason: nullable(Type.String()),
    }),
  ),
  movement: nullable(Type.Object({ id: Type.String(), action: Type.String(), type: Type.String(), amount })),
  account,
});

const merchant = {
  merchantName: line(100),
  description: Type.Optional(line(200)),
  merchantCategory: Type.Optional(line(100)),
  merchantCountry: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
  localAmount: Type.Optional(Type.String({ pattern: '^(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$' })),
  localCurrency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
};

const partOfTransaction = Type.Object({ transactionId: issuerId, amount: Type.Optional(usd) }, closed);

export const cardCommands = [
  defineCommand({
    name: 'cards.list',
    summary: 'List cards of all users, by user and status.',
    changes: false,
    roles: everyone,
    columns: [
      'status',
      'id',
      'lastFourDigits',
      'nickname',
      'spendingLimit',
      'spendingInterval',
      'createdAt',
      'userId',
    ],
    input: Type.Object(
      {
        userId: Type.Optional(uuid),
        status: Type.Optional(Type.Enum([...cardStatuses])),
        ...cursorInput,
      },
      closed,
    ),
    output: cursorPage(card),
    run: async (ctx: Ctx, input) => {
      const { items, nextCursor } = await listAcrossUsers(ctx, input);
      return { items: items.map(presentCard), nextCursor };
    },
  }),
  defineCommand({
    name: 'cards.show',
    summary: 'Show a card with its past states, its account and its collateral.',
    changes: false,
    roles: everyone,
    input: Type.Object({ cardId: issuerId }, closed),
    output: life,
    run: async (ctx: Ctx, input) => presentLife(await inspectCard(ctx, input)),
  }),
  defineCommand({
    name: 'cards.create',
    summary: 'Create 1 to 10 cards in one account of a user at the card issuer, all or none.',
    changes: true,
    roles: alsoFor('support'),
    stepUp: true,
    examples: [
      `0198a6a0-0000-7000-8000-000000000001 --cards '[{"nickname":"Travel","spendingLimit":"250.00"}]'`,
    ],
    input: Type.Object(
      { userId: uuid, cards: newCards, idempotencyKey: Type.Optional(idempotencyKey) },
      closed,
    ),
    output: Type.Object({ cards: Type.Array(card), replayed: Type.Boolean() }),
    run: async (ctx: Ctx, input) => {
      const { cards, replayed } = await createCards(ctx, input);
      return { cards: cards.map(presentCard), replayed };
    },
  }),
  defineCommand({
    name: 'cards.update',
    summary: 'Change the nickname, status or spending limit of a card.',
    changes: true,
    roles: alsoFor('support'),
    examples: [`card_17 --status locked --reason 'Lost'`],
    input: Type.Object({ cardId: issuerId, ...cardTerms }, { ...closed, minProperties: 2 }),
    output: card,
    run: async (ctx: Ctx, { cardId, ...change }) => {
      const { userId, cardIssuerUserId } = (await inspectCard(ctx, { cardId })).card;
      const changed = await updateCard(ctx, { userId, cardId, cardIssuerUserId, ...change });
      return presentCard(changed.card);
    },
  }),
  defineCommand({
    name: 'cards.open-account',
    summary: 'Open another account for a user at the card issuer.',
    changes: true,
    roles: alsoFor('support'),
    input: Type.Object({ userId: uuid, idempotencyKey: Type.Optional(idempotencyKey) }, closed),
    output: account,
    run: async (ctx: Ctx, input) => presentAccount(await openAccount(ctx, input)),
  }),
  defineCommand({
    name: 'cards.catch-up',
    summary: 'Read the card issuer’s event feed now; a worker does this every few seconds.',
    changes: false,
    needsPrimary: true,
    roles: alsoFor('support'),
    input: Type.Object({}, closed),
    output: Type.Object({
      read: Type.Integer({ description: 'Events' }),
      skipped: Type.Integer({
        description: 'Events among them about unknown users or of kinds that we do not store',
      }),
      lastSequence: Type.String(),
      missingSequence: nullable(
        Type.String({
          description:
            'An event that the issuer lacks or that cannot be read: none after it is read until then',
        }),
      ),
      isUnreadable: Type.Boolean({ description: 'That event is there, and not as the protocol says' }),
      isBehind: Type.Boolean({ description: 'There is more to read' }),
    }),
    run: async (ctx: Ctx) => {
      const { lastSequence, missingSequence, ...rest } = await askIssuer(catchUp(ctx));
      return {
        ...rest,
        lastSequence: String(lastSequence),
        missingSequence: missingSequence === null ? null : String(missingSequence),
      };
    },
  }),
  defineCommand({
    name: 'cards.skip-event',
    summary:
      'Skip the missing or unreadable issuer event that blocks the feed, once you know that skipping it is harmless.',
    changes: true,
    roles: alsoFor('support'),
    input: Type.Object(
      { sequence: Type.String({ pattern: '^[1-9][0-9]{0,17}$' }), reason: line(500) },
      closed,
    ),
    output: Type.Object({ lastSequence: Type.String() }),
    run: async (ctx: Ctx, { sequence, reason }) => {
      const lastSequence = await skipEvent(ctx, { sequence: BigInt(sequence), reason });
      return { lastSequence: String(lastSequence) };
    },
  }),
  defineCommand({
    name: 'cards.simulate-authorization',
    summary: 'Sandbox: authorize a card payment.',
    changes: true,
    roles: alsoFor('support'),
    input: Type.Object({ cardId: issuerId, amount: usd, ...merchant }, closed),
    output: activity,
    run: async (ctx: Ctx, input) =>
      presentActivity(await simulateActivity(ctx, { kind: 'authorization', ...input })),
  }),
  defineCommand({
    name: 'cards.simulate-decline',
    summary: 'Sandbox: decline a card payment.',
    changes: true,
    roles: alsoFor('support'),
    input: Type.Object(
      { cardId: issuerId, amount: usd, ...merchant, declineReason: Type.Optional(line(200)) },
      closed,
    ),
    output: activity,
    run: async (ctx: Ctx, input) =>
      presentActivity(await simulateActivity(ctx, { kind: 'decline', ...input })),
  }),
  defineCommand({
    name: 'cards.simulate-settlement',
    summary: 'Sandbox: settle an authorized payment, fully or partly.',
    changes: true,
    roles: alsoFor('support'),
    input: partOfTransaction,
    output: activity,
    run: async (ctx: Ctx, input) =>
      presentActivity(await simulateActivity(ctx, { kind: 'settlement', ...input })),
  }),
  defineCommand({
    name: 'cards.simulate-refund',
    summary: 'Sandbox: refund a settled payment, fully or partly.',
    changes: true,
    roles: alsoFor('support'),
    input: partOfTransaction,
    output: activity,
    run: async (ctx: Ctx, input) =>
      presentActivity(await simulateActivity(ctx, { kind: 'refund', ...input })),
  }),
  defineCommand({
    name: 'cards.simulate-collateral-deposit',
    summary: 'Sandbox: add collateral to an account at the card issuer.',
    changes: true,
    roles: alsoFor('support'),
    input: Type.Object(
      { cardIssuerUserId: issuerId, amount: usd, description: Type.Optional(line(200)) },
      closed,
    ),
    output: activity,
    run: async (ctx: Ctx, input) =>
      presentActivity(await simulateActivity(ctx, { kind: 'collateral-deposit', ...input })),
  }),
];

function presentCard(row: CardRow): Static<typeof card> {
  return {
    ...row,
    spendingLimit: formatCents(row.spendingLimit),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function presentAccount(row: CardAccount): Static<typeof account> {
  return {
    cardIssuerUserId: row.id,
    userId: row.userId,
    collateralAddress: checksumAddress(row.collateralAddress),
    collateral: formatCents(row.collateral),
    createdAt: row.createdAt.toISOString(),
  };
}

function presentLife({ card, account, versions, recentTransactions }: CardLife): Static<typeof life> {
  return {
    ...presentCard(card),
    account: presentAccount(account),
    recentTransactions,
    versions: versions.map(({ spendingLimit, validAt, ...version }) => ({
      ...version,
      spendingLimit: formatCents(spendingLimit),
      validAt: validAt.toISOString(),
    })),
  };
}

function presentActivity({ events, account }: SimulatedActivity): Static<typeof activity> {
  const transaction = events.findLast((event) => event.type === 'transaction.changed')?.data;
  const movement = events.findLast((event) => event.type === 'movement.posted')?.data;
  return {
    transaction: transaction ?? null,
    movement: movement ?? null,
    account: presentAccount(account),
  };
}
