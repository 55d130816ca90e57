import type { LineView } from './lines/line.ts';
import type { LinePage } from './lines/list-lines.ts';

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

export function presentPage(nodes: object[], totalCount: number, { currentPage, pageSize }: LinePage) {
  const numberOfPages = Math.ceil(totalCount / pageSize);
  return {
    nodes,
    pageInfo: {
      hasNextPage: currentPage + 1 < numberOfPages,
      ...{ currentPage, pageSize, numberOfPages, totalCount },
      // The contract keeps it for older callers.
      totalCountIsEstimate: false,
    },
  };
}
