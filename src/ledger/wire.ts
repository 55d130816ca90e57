import { describePage, type NumberedPage } from '../platform/page.ts';
import type { LineView } from './lines/line.ts';

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
