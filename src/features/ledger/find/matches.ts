import { foldText } from '#platform/values/fold-text';
import { parseMinor } from '#platform/values/money';
import type { LineView } from '../lines/present-line.ts';
import { decimalsMax, type Filter, type Sorting } from './filter.ts';

/** What a filter looks at, of a settled line or of a record that is not settled. */
type Matched = Pick<
  LineView,
  | 'transactionDate'
  | 'transactionType'
  | 'network'
  | 'description'
  | 'userDescription'
  | 'assetSent'
  | 'amountSent'
  | 'assetReceived'
  | 'amountReceived'
>;

/** All amounts with the same number of decimals, so that they compare and add up. */
const minorOf = (amount: string) => parseMinor(amount, decimalsMax)!;

/** What it sends and receives of the filter's asset, network and direction. */
export function legsOf(view: Matched, { asset, network, direction, minAmount }: Filter) {
  const isMeant = (currency: string | null, amount: string | null): amount is string =>
    amount !== null &&
    (asset ?? currency) === currency &&
    (network ?? view.network) === view.network &&
    (minAmount === undefined || minorOf(amount) >= minorOf(minAmount));
  const { assetSent, amountSent, assetReceived, amountReceived } = view;
  return {
    sent: direction !== 'in' && isMeant(assetSent, amountSent) ? minorOf(amountSent) : undefined,
    received:
      direction !== 'out' && isMeant(assetReceived, amountReceived) ? minorOf(amountReceived) : undefined,
  };
}

/** `party` is what is shown of the counterparty. */
export function matches(view: Matched, filter: Filter, party = ''): boolean {
  const { types, text, startAt, endAt } = filter;
  const { sent, received } = legsOf(view, filter);
  const at = Date.parse(view.transactionDate);
  const words = () => foldText([view.description, view.userDescription ?? '', party].join(' '));
  return (
    types.includes(view.transactionType) &&
    (sent !== undefined || received !== undefined) &&
    (startAt === undefined || at >= startAt.getTime()) &&
    (endAt === undefined || at <= endAt.getTime()) &&
    (text === undefined || words().includes(foldText(text)))
  );
}

/** The order of a list whose items come newest first. */
export function sortBy<View extends Matched>(views: readonly View[], sort: Sorting, filter: Filter): View[] {
  if (sort === 'newest') return [...views];
  if (sort === 'oldest') return views.toReversed();
  const largest = new Map(
    views.map((view) => {
      const { sent = 0n, received = 0n } = legsOf(view, filter);
      if (sent > received) return [view, sent];
      return [view, received];
    }),
  );
  return views.toSorted((one, other) => compare(largest.get(other)!, largest.get(one)!));
}

const compare = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0);
