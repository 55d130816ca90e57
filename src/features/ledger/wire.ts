import { type Static, Type } from 'typebox';
import { describePage, type NumberedPage, pagePosition } from '#platform/commands/cursor-page';
import { currentPageInput, exactObject, nextArguments, toolInstant } from '#platform/commands/tool-shapes';
import { dateTime, nullable } from '#platform/http/schemas';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type LineView, lineTypes } from './lines/line.ts';
import type { UnsettledView } from './unsettled/list-unsettled.ts';
import { unsettledStatuses } from './unsettled/states.ts';

const text = Type.String();
const amount = Type.String({ description: 'Exact decimal' });

const nodeFields = {
  id: Type.String({
    description: 'Operation of the line. The legs of a conversion between networks share it',
  }),
  uniqueHashId: nullable(text, { description: '`{transactionHash}:{logIndex}`, or an opaque unique value' }),
  transactionDate: dateTime,
  transactionType: Type.Enum([...lineTypes], {
    description: 'buy: deposit. sell: withdrawal. swap-bridge: conversion. transfer-token: transfer',
  }),
  description: text,
  network: text,
  asset: Type.String({ description: 'Asset of `amount` and `runningBalance`' }),
  amount,
  assetSent: Type.Optional(text),
  amountSent: Type.Optional(amount),
  assetReceived: Type.Optional(text),
  amountReceived: Type.Optional(amount),
  executedAt: nullable(dateTime),
  transactionPurpose: text,
  userDescription: nullable(text, { description: 'Text of the user' }),
};

const ledgerNode = Type.Object(
  {
    ...nodeFields,
    status: text,
    runningBalance: Type.String({ description: 'Balance of `asset` after the transaction' }),
  },
  { title: 'LedgerNode' },
);

const unsettledNode = Type.Object(
  {
    ...nodeFields,
    status: Type.Enum([...unsettledStatuses]),
    statusReason: nullable(text),
    runningBalance: Type.Null({ description: 'Not settled, so not in a balance' }),
    updatedAt: dateTime,
  },
  { title: 'UnsettledNode' },
);

const pageParts = {
  pageInfo: Type.Object(
    { ...pagePosition, totalCountIsEstimate: Type.Literal(false, { description: 'Always false' }) },
    { title: 'AccountPageInfo' },
  ),
  message: Type.Optional(Type.String({ description: 'Names parameters that the feature ignored' })),
};

/** Answers of `GET /api/history` for the features of an account. */
export const ledgerPage = Type.Object(
  { nodes: Type.Array(ledgerNode), ...pageParts },
  { title: 'LedgerPage' },
);
export const unsettledPage = Type.Object(
  { nodes: Type.Array(unsettledNode), ...pageParts },
  { title: 'UnsettledPage' },
);

/** The contract's node: what does not apply to a line is absent, what may be unknown is null. */
export const toNode = (view: LineView): object => nodeOf(view);

/** Of what is not settled, why it is where it is and since when as well. */
export const toUnsettledNode = (view: UnsettledView): object => ({
  ...nodeOf(view),
  statusReason: view.statusReason,
  updatedAt: view.updatedAt,
});

function nodeOf(view: LineView | UnsettledView): object {
  const { assetSent, amountSent, assetReceived, amountReceived } = view;
  // Field by field: to copy all and leave out four takes as long as to make JSON of them.
  const node = {
    id: view.id,
    uniqueHashId: view.uniqueHashId,
    transactionDate: view.transactionDate,
    transactionType: view.transactionType,
    description: view.description,
    status: view.status,
    network: view.network,
    asset: view.asset,
    amount: view.amount,
    runningBalance: view.runningBalance,
    executedAt: view.executedAt,
    transactionPurpose: view.transactionPurpose,
    userDescription: view.userDescription,
  };
  if (assetSent !== null) Object.assign(node, { assetSent, amountSent });
  if (assetReceived !== null) Object.assign(node, { assetReceived, amountReceived });
  return node;
}

export function presentPage(nodes: object[], totalCount: number, page: NumberedPage) {
  // The contract keeps the last one for older callers.
  return { nodes, pageInfo: { ...describePage(totalCount, page), totalCountIsEstimate: false } };
}

/** An item of `transactions` of `getAccountHistory`. */
const toolTransaction = exactObject({
  transactionDate: dateTime,
  type: Type.Enum([...lineTypes], {
    type: 'string',
    description: 'buy is a deposit, sell a withdrawal, swap-bridge a conversion, transfer-token a transfer.',
  }),
  description: Type.String(),
  status: Type.String(),
  assetReceived: Type.Optional(Type.String()),
  amountReceived: Type.Optional(Type.String({ description: 'Exact decimal.' })),
  assetSent: Type.Optional(Type.String()),
  amountSent: Type.Optional(Type.String({ description: 'Exact decimal.' })),
  network: Type.String(),
  id: Type.Optional(
    Type.String({
      description:
        'Only with includeIds. Operation id; the two legs of a conversion between networks share it.',
    }),
  ),
  transactionHash: Type.Optional(
    Type.String({ description: 'Only with includeIds, and only if the transaction is on chain.' }),
  ),
});

/**
 * What does not apply to a line is absent; ids are half of a page's tokens, so that they are given where they
 * are wanted.
 */
function presentToolTransaction(
  view: LineView,
  { includeIds }: { includeIds: boolean },
): Static<typeof toolTransaction> {
  const { assetReceived, amountReceived, assetSent, amountSent } = view;
  const [, transactionHash] = placeOnChain.exec(view.uniqueHashId) ?? [];
  return {
    transactionDate: view.transactionDate,
    type: view.transactionType,
    description: sanitizeText(view.description, descriptionMax),
    status: view.status,
    ...(assetReceived !== null && amountReceived !== null && { assetReceived, amountReceived }),
    ...(assetSent !== null && amountSent !== null && { assetSent, amountSent }),
    network: view.network,
    ...(includeIds && { id: sanitizeText(view.id) }),
    ...(includeIds && transactionHash !== undefined && { transactionHash }),
  };
}

/** Fifty of them must leave room for the rest of an answer. */
const descriptionMax = 70;

/** Other lines have a key that says nothing. */
const placeOnChain = /^(0x[0-9a-f]{64}):[0-9]+$/;

/** The arguments of `getAccountHistory`. */
export const historyInput = exactObject({
  filterByHash: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{64}$',
      description:
        'Hash of one on-chain transaction, 0x and 64 hexadecimal digits, in upper or lower case. Pass no other argument with it.',
    }),
  ),
  startDate: Type.Optional(toolInstant('Only transactions at or after this time.')),
  endDate: Type.Optional(toolInstant('Only transactions at or before this time.')),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 500,
      default: 50,
      description: 'Maximum number of transactions, 1 to 500; default 50.',
    }),
  ),
  currentPage: Type.Optional(currentPageInput),
  includeIds: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Include the id and on-chain hash of each transaction. With filterByHash they are always included.',
    }),
  ),
});

/** Its payload. */
export const historyOutput = exactObject({
  userId: Type.String(),
  filterByHash: Type.Optional(Type.String({ description: 'As in the call.' })),
  startDate: Type.Optional(Type.String({ description: 'As in the call.' })),
  endDate: Type.Optional(Type.String({ description: 'As in the call.' })),
  count: Type.Integer({ description: 'Number of transactions in this answer.' }),
  truncated: Type.Boolean({
    description: 'True if there are older transactions: call again with nextArguments.',
  }),
  hasEurcActivity: Type.Boolean({
    description: 'True if EURC moved in the requested period, also on other pages than this one.',
  }),
  transactions: Type.Array(toolTransaction, { description: 'Newest first.' }),
  nextArguments: nextArguments(historyInput),
});

export const movesEurc = ({ assetReceived, assetSent }: LineView) =>
  assetReceived === 'EURC' || assetSent === 'EURC';

export function presentLines(lines: readonly LineView[], includeIds: boolean) {
  return {
    count: lines.length,
    transactions: lines.map((line) => presentToolTransaction(line, { includeIds })),
  };
}
