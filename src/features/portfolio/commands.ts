import { Type } from 'typebox';
import { noPrices, PriceFault, priceDecimals, tokenForm } from '#adapters/prices';
import type { Ctx } from '#context';
import { alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, nullable, uuid } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import { portfolioErrors } from './errors.ts';
import { forgetPrice } from './forget-price.ts';
import { listPrices } from './list-prices.ts';
import { positionKinds, writePosition } from './position.ts';
import { recordPositions } from './record-positions.ts';
import { refreshPrices } from './refresh-prices.ts';
import { showPositions } from './show-positions.ts';

const decimal = (description: string) => Type.String({ maxLength: 40, description });
const costUsd = decimal('Tokenized positions only: US dollars paid for the whole position');
const priceUsd = decimal('US dollars for one unit, used if the price source does not list the token');

const place = {
  kind: Type.Enum([...positionKinds]),
  token: Type.String({ pattern: tokenForm.source, description: 'Such as ETH' }),
  network: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
    description: 'Such as ethereum; it need not support withdrawals',
  }),
  amount: decimal('Decimal above 0, with at most 18 decimals'),
};
const position = Type.Object({ ...place, costUsd: nullable(costUsd), priceUsd: nullable(priceUsd) });

export const portfolioCommands = [
  defineCommand({
    name: 'positions.record',
    summary: 'Record all staked and tokenized positions of a user; this replaces the previous snapshot.',
    changes: true,
    roles: alsoFor('treasury'),
    examples: [
      `0198a6a0-0000-7000-8000-000000000001 --positions '[{"kind":"staked","token":"ETH","network":"ethereum","amount":"1.5"}]'`,
    ],
    // Two hundred of the longest positions.
    bodyBytesMax: 128 * 1024,
    input: Type.Object(
      {
        userId: uuid,
        asOf: Type.Optional({ ...dateTime, description: 'Time of the snapshot; default: now' }),
        positions: Type.Array(
          Type.Object(
            { ...place, costUsd: Type.Optional(costUsd), priceUsd: Type.Optional(priceUsd) },
            closed,
          ),
          { maxItems: 200 },
        ),
      },
      closed,
    ),
    output: Type.Object({
      userId: uuid,
      asOf: dateTime,
      recordedAt: dateTime,
      positions: Type.Array(position),
      replayed: Type.Boolean({ description: 'It was recorded already' }),
    }),
    run: async (ctx: Ctx, input) => {
      const { asOf, recordedAt, positions, replayed } = await recordPositions(ctx, input);
      return {
        userId: input.userId.toLowerCase(),
        replayed,
        positions: positions.map(writePosition),
        asOf: asOf.toISOString(),
        recordedAt: recordedAt.toISOString(),
      };
    },
  }),
  defineCommand({
    name: 'positions.show',
    summary: 'Show the last recorded staked and tokenized positions of a user.',
    changes: false,
    roles: everyone,
    input: Type.Object({ userId: uuid }, closed),
    output: Type.Object({
      userId: uuid,
      asOf: nullable({ ...dateTime, description: 'Null where nothing was ever recorded' }),
      recordedAt: nullable(dateTime),
      positions: Type.Array(position),
    }),
    run: async (ctx: Ctx, { userId }) => {
      const snapshot = await showPositions(ctx, { userId });
      return {
        userId: userId.toLowerCase(),
        asOf: snapshot?.asOf.toISOString() ?? null,
        recordedAt: snapshot?.recordedAt.toISOString() ?? null,
        positions: snapshot?.positions.map(writePosition) ?? [],
      };
    },
  }),
  defineCommand({
    name: 'prices.list',
    summary: 'List the prices that value balances, with their age.',
    changes: false,
    roles: everyone,
    columns: ['token', 'priceUsd', 'quotedAt', 'refreshedAt'],
    input: Type.Object({ ...cursorInput }, closed),
    output: cursorPage(
      Type.Object({
        token: Type.String(),
        priceUsd: Type.String({ description: 'US dollars for one unit' }),
        quotedAt: dateTime,
        ageSeconds: Type.Integer(),
        refreshedAt: { ...dateTime, description: 'When the source last said so' },
      }),
    ),
    run: async (ctx: Ctx, input) => {
      const { items, nextCursor } = await listPrices(ctx, input);
      return {
        items: items.map(({ token, price, quotedAt, refreshedAt }) => ({
          token,
          priceUsd: formatMinor(price, priceDecimals),
          quotedAt: quotedAt.toISOString(),
          ageSeconds: Math.max(Math.floor((ctx.now.getTime() - quotedAt.getTime()) / 1_000), 0),
          refreshedAt: refreshedAt.toISOString(),
        })),
        nextCursor,
      };
    },
  }),
  defineCommand({
    name: 'prices.forget',
    summary: 'Delete the stored price of a token, until the price source lists it again.',
    changes: true,
    roles: alsoFor('treasury'),
    positional: ['token'],
    examples: ['ETH'],
    input: Type.Object({ token: place.token }, closed),
    output: Type.Object({ token: Type.String(), priceUsd: Type.String(), quotedAt: dateTime }),
    run: (ctx: Ctx, input) => forgetPrice(ctx, input),
  }),
  defineCommand({
    name: 'prices.refresh',
    summary: 'Read the price source now; a worker does this every minute.',
    changes: false,
    needsPrimary: true,
    roles: alsoFor('treasury'),
    input: Type.Object({}, closed),
    output: Type.Object({
      read: Type.Integer({ description: 'Prices that the source has' }),
      stored: Type.Integer({ description: 'Of those, not older than what was known' }),
      refused: Type.Array(Type.String(), { description: 'Tokens whose name or price cannot be used' }),
      quotedAt: dateTime,
    }),
    run: async (ctx: Ctx) => {
      if (ctx.prices === noPrices) throw portfolioErrors.noPriceSource();
      try {
        const { quotedAt, ...counts } = await refreshPrices(ctx);
        return { ...counts, quotedAt: quotedAt.toISOString() };
      } catch (error) {
        if (!(error instanceof PriceFault)) throw error;
        throw portfolioErrors.priceSourceUnavailable({ message: error.message, cause: error });
      }
    },
  }),
];
