import { type Static, Type } from 'typebox';
import { currentPageInput, exactObject, nextArguments, toolInstant } from '#platform/commands/tool-shapes';
import { dateTime, transactionHash } from '#platform/http/schemas';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type AssetTotal, directions, type Knowledge, sortings } from './find/filter.ts';
import type { FoundLine } from './find/find-lines.ts';
import { lineTypes } from './lines/line.ts';
import type { UnsettledView } from './unsettled/list-unsettled.ts';

const amount = Type.String({ description: 'Exact decimal.' });

/** An item of `transactions` of `getAccountHistory`. */
const toolTransaction = exactObject({
  transactionDate: dateTime,
  type: Type.Enum([...lineTypes], { type: 'string' }),
  kind: Type.Optional(
    Type.Enum(['swap', 'bridge', 'withdrawal', 'card-refill'], {
      type: 'string',
      description: 'What a conversion or a payment was, where known.',
    }),
  ),
  description: Type.String(),
  note: Type.Optional(Type.String({ description: 'The user’s own words.' })),
  status: Type.String(),
  statusReason: Type.Optional(Type.String()),
  assetReceived: Type.Optional(Type.String()),
  amountReceived: Type.Optional(amount),
  assetSent: Type.Optional(Type.String()),
  amountSent: Type.Optional(amount),
  network: Type.String({ description: 'Of a grouped bridge, where it was received.' }),
  networkSent: Type.Optional(Type.String({ description: 'Of a grouped bridge.' })),
  valueUsd: Type.Optional(
    Type.String({ description: 'At the time, of what came in, else of what went out.' }),
  ),
  counterparty: Type.Optional(
    exactObject({
      address: Type.Optional(Type.String()),
      email: Type.Optional(Type.String({ description: 'Shortened.' })),
    }),
  ),
  id: Type.Optional(Type.String({ description: 'With includeIds. Legs of one bridge share it.' })),
  transactionHash: Type.Optional(Type.String({ description: 'With includeIds, if on chain.' })),
});
export type ToolTransaction = Static<typeof toolTransaction>;

/**
 * What does not apply to a line is absent. Ids are half of a page's tokens, so they are given where they are
 * wanted.
 */
export function presentTransaction(
  view: FoundLine | UnsettledView,
  { includeIds, known }: { includeIds: boolean; known?: Knowledge },
): ToolTransaction {
  const { assetReceived, amountReceived, assetSent, amountSent, userDescription } = view;
  const statusReason = 'statusReason' in view ? view.statusReason : null;
  const [, transactionHash] = placeOnChain.exec(view.uniqueHashId) ?? [];
  return {
    transactionDate: view.transactionDate,
    type: view.transactionType,
    ...kindOf(view, known),
    description: sanitizeText(view.description, textMax),
    ...(userDescription !== null && { note: sanitizeText(userDescription, textMax) }),
    status: view.status,
    ...(statusReason !== null && { statusReason: sanitizeText(statusReason, textMax) }),
    ...(assetReceived !== null && amountReceived !== null && { assetReceived, amountReceived }),
    ...(assetSent !== null && amountSent !== null && { assetSent, amountSent }),
    network: view.network,
    ...(known?.valueUsd !== undefined && { valueUsd: known.valueUsd }),
    ...(known?.counterparty && { counterparty: known.counterparty }),
    ...(includeIds && { id: sanitizeText(view.id) }),
    ...(includeIds && transactionHash !== undefined && { transactionHash }),
  };
}

function kindOf(
  { transactionType, assetSent, assetReceived }: FoundLine | UnsettledView,
  known: Knowledge | undefined,
): Pick<ToolTransaction, 'kind'> {
  if (transactionType === 'swap-bridge') {
    return { kind: assetSent !== null && assetReceived !== null ? 'swap' : 'bridge' };
  }
  return known?.kind === undefined ? {} : { kind: known.kind };
}

/** Twenty of them must leave room for the rest of an answer. */
const textMax = 70;

/** Other lines have a key that says nothing. */
const placeOnChain = /^(0x[0-9a-f]{64}):[0-9]+$/;

/** The arguments of `getAccountHistory`. */
export const historyInput = exactObject({
  filterByHash: Type.Optional(
    Type.String({
      ...transactionHash,
      description:
        'Hash of one on-chain transaction: 0x and 64 hexadecimal digits. Only includeIds may go with it.',
    }),
  ),
  startDate: Type.Optional(toolInstant('Only transactions at or after this time.')),
  endDate: Type.Optional(toolInstant('Only transactions at or before this time.')),
  type: Type.Optional(
    Type.Enum([...lineTypes], {
      type: 'string',
      description:
        'buy is a deposit, sell a withdrawal, swap-bridge a conversion, transfer-token a transfer.',
    }),
  ),
  asset: Type.Optional(
    Type.String({ minLength: 1, maxLength: 20, description: 'Only this asset, such as USDC.' }),
  ),
  network: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'Only this network, such as base.' }),
  ),
  direction: Type.Optional(
    Type.Enum([...directions], { type: 'string', description: 'Only what came in, or only what went out.' }),
  ),
  minAmount: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Only amounts of at least this many of their asset: a decimal string such as "12.5".',
    }),
  ),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Part of the description, note or counterparty, in any case, with or without accents.',
    }),
  ),
  status: Type.Optional(
    Type.Enum(['settled', 'pending', 'failed', 'unsettled', 'all'], {
      type: 'string',
      default: 'settled',
      description:
        'pending may still settle, failed was rejected or canceled, unsettled is both; all has unsettled ones first.',
    }),
  ),
  sort: Type.Optional(
    Type.Enum([...sortings], {
      type: 'string',
      default: 'newest',
      description: 'largest compares amounts, whatever their assets.',
    }),
  ),
  group: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'One row for both legs of a bridge between networks. Pages have fewer rows; summary counts legs.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 500,
      default: 20,
      description: 'Transactions in a page, 1 to 500; default 20.',
    }),
  ),
  currentPage: Type.Optional(currentPageInput),
  includeIds: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Include id and on-chain hash of each transaction; always with filterByHash.',
    }),
  ),
});
export type HistoryArguments = Static<typeof historyInput>;

/** Its payload. */
export const historyOutput = exactObject({
  userId: Type.String(),
  filterByHash: Type.Optional(Type.String()),
  startDate: Type.Optional(Type.String()),
  endDate: Type.Optional(Type.String()),
  state: Type.Optional(
    Type.Enum(['settled', 'unsettled'], { type: 'string', description: 'Of filterByHash.' }),
  ),
  count: Type.Integer({ description: 'Transactions in this answer.' }),
  truncated: Type.Boolean({ description: 'More pages: call again with nextArguments.' }),
  hasEurcActivity: Type.Boolean({ description: 'EURC moved in the period, on any page.' }),
  summary: Type.Optional(
    exactObject(
      {
        count: Type.Integer(),
        totals: Type.Array(
          exactObject({
            status: Type.Optional(Type.String({ description: 'Of unsettled ones.' })),
            asset: Type.String(),
            received: amount,
            receivedCount: Type.Integer(),
            sent: amount,
            sentCount: Type.Integer(),
            receivedByConversion: Type.Optional(amount),
            sentByConversion: Type.Optional(amount),
          }),
        ),
        searchedTo: Type.Optional(
          Type.String({ description: 'Only transactions up to this time were searched. Narrow the period.' }),
        ),
      },
      'Exact figures of the whole filter, all pages. On page 0.',
    ),
  ),
  transactions: Type.Array(toolTransaction),
  nextArguments: nextArguments(historyInput),
});
export type History = Static<typeof historyOutput>;

/** Figures of one or two searches. */
export function presentSummary(
  founds: readonly { total: number; totals: AssetTotal[]; searchedTo?: string }[],
): NonNullable<History['summary']> {
  const searchedTo = founds.map((found) => found.searchedTo).filter((one) => one !== undefined);
  return {
    count: founds.reduce((count, { total }) => count + total, 0),
    totals: founds.flatMap(({ totals }) => totals),
    ...(searchedTo.length > 0 && { searchedTo: searchedTo.sort().at(-1)! }),
  };
}
