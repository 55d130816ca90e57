import { Type } from 'typebox';
import { describePage, type NumberedPage, pagePosition } from '#platform/commands/cursor-page';
import { dateTime, nullable } from '#platform/http/schemas';
import { lineTypes } from './lines/line.ts';
import type { LineView } from './lines/present-line.ts';
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

export const ledgerNode = Type.Object(
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
  // Field by field: copying all and leaving out four takes 1.5 times as long, JSON included
  // (`npm run bench -- shortcuts code`).
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
