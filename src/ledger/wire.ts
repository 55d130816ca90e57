import { type Static, Type } from 'typebox';
import { inertText } from '../platform/inert-text.ts';
import { describePage, type NumberedPage } from '../platform/page.ts';
import { dateTime } from '../platform/schemas.ts';
import { exactObject } from '../platform/tool-shapes.ts';
import { type LineView, lineTypes } from './lines/line.ts';

/** The contract's node: what does not apply to a line is absent, what may be unknown is null. */
export function toNode<
  View extends Pick<LineView, 'assetSent' | 'amountSent' | 'assetReceived' | 'amountReceived'>,
>(view: View): object {
  const { assetSent, amountSent, assetReceived, amountReceived, ...node } = view;
  return {
    ...node,
    ...(assetSent !== null && { assetSent, amountSent }),
    ...(assetReceived !== null && { assetReceived, amountReceived }),
  };
}

export function presentPage(nodes: object[], totalCount: number, page: NumberedPage) {
  // The contract keeps the last one for older callers.
  return { nodes, pageInfo: { ...describePage(totalCount, page), totalCountIsEstimate: false } };
}

/** An item of `transactions` of `getAccountHistory`. */
export const toolTransaction = exactObject({
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
        'With includeIds. Of the operation: the two legs of a conversion between networks share it.',
    }),
  ),
  transactionHash: Type.Optional(Type.String({ description: 'With includeIds, of what is on chain.' })),
});

/** What does not apply to a line is absent; ids are half of a page's tokens, so that they are given where they are wanted. */
export function presentToolTransaction(
  view: LineView,
  { includeIds }: { includeIds: boolean },
): Static<typeof toolTransaction> {
  const { assetReceived, amountReceived, assetSent, amountSent } = view;
  const [, transactionHash] = placeOnChain.exec(view.uniqueHashId) ?? [];
  return {
    transactionDate: view.transactionDate,
    type: view.transactionType,
    description: inertText(view.description),
    status: view.status,
    ...(assetReceived !== null && amountReceived !== null && { assetReceived, amountReceived }),
    ...(assetSent !== null && amountSent !== null && { assetSent, amountSent }),
    network: view.network,
    ...(includeIds && { id: inertText(view.id) }),
    ...(includeIds && transactionHash !== undefined && { transactionHash }),
  };
}

/** Other lines have a key that says nothing. */
const placeOnChain = /^(0x[0-9a-f]{64}):[0-9]+$/;
