import type { Ctx } from '#context';
import { formatMinor, parseMinor } from '#platform/values/money';
import { listUnsettled, type UnsettledView } from '../unsettled/list-unsettled.ts';
import { isFinal } from '../unsettled/states.ts';
import { type AssetTotal, decimalsMax, type Filter, type Found, type Sorting } from './filter.ts';

/** How many of a user's unsettled records are looked at: few users have a hundred. */
export const unsettledMax = 5_000;

export interface FindUnsettled extends Filter {
  userId: string;
  offset: number;
  limit: number;
  sort: Sorting;
  /** Only what may still settle, or only what will not. */
  only?: 'open' | 'failed';
}

/** A page of what is not settled of a user, and count and sums of the whole filter by status. */
export async function findUnsettled(ctx: Ctx, request: FindUnsettled): Promise<Found<UnsettledView>> {
  const { userId, startAt, endAt, sort, offset, limit } = request;
  const page = { currentPage: 0, pageSize: unsettledMax };
  const { total, records } = await listUnsettled(ctx, { userId, startAt, endAt, ...page });
  const found = records.filter((record) => matches(record, request));
  if (sort === 'oldest') found.reverse();
  if (sort === 'largest') found.sort((one, other) => compare(largestOf(other), largestOf(one)));
  return {
    total: found.length,
    totals: addUp(found, request),
    items: found.slice(offset, offset + limit),
    ...(total > records.length && { searchedTo: records.at(-1)!.transactionDate }),
  };
}

/** All amounts with the same number of decimals, so that they compare and add up. */
const decimals = decimalsMax;
const minorOf = (amount: string) => parseMinor(amount, decimals)!;
const compare = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0);
const largestOf = (record: UnsettledView) =>
  [record.amountSent, record.amountReceived].reduce(
    (most, amount) => (amount !== null && minorOf(amount) > most ? minorOf(amount) : most),
    0n,
  );

/** What a record sends and receives of the filter's asset and direction. */
function legsOf(record: UnsettledView, { asset, direction, minAmount }: Filter) {
  const isMeant = (currency: string | null, amount: string | null): amount is string =>
    amount !== null &&
    (asset ?? currency) === currency &&
    (minAmount === undefined || minorOf(amount) >= minorOf(minAmount));
  const { assetSent, amountSent, assetReceived, amountReceived } = record;
  return {
    sent: direction !== 'in' && isMeant(assetSent, amountSent) ? minorOf(amountSent) : undefined,
    received:
      direction !== 'out' && isMeant(assetReceived, amountReceived) ? minorOf(amountReceived) : undefined,
  };
}

function matches(record: UnsettledView, request: FindUnsettled): boolean {
  const { types, network, text, only } = request;
  const { sent, received } = legsOf(record, request);
  const isNamed = () =>
    [record.description, record.userDescription ?? ''].some((one) => fold(one).includes(fold(text!)));
  return (
    types.includes(record.transactionType) &&
    (network ?? record.network) === record.network &&
    (sent !== undefined || received !== undefined) &&
    (only === undefined || isFinal(record.status) === (only === 'failed')) &&
    (text === undefined || isNamed())
  );
}

const fold = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

function addUp(found: readonly UnsettledView[], request: Filter): AssetTotal[] {
  const totals = new Map<string, AssetTotal & { minor: { sent: bigint; received: bigint } }>();
  const totalOf = (status: string, asset: string) => {
    const key = `${status} ${asset}`;
    const fresh = () => ({
      status,
      asset,
      received: '0',
      receivedCount: 0,
      sent: '0',
      sentCount: 0,
      minor: { sent: 0n, received: 0n },
    });
    if (!totals.has(key)) totals.set(key, fresh());
    return totals.get(key)!;
  };
  for (const record of found) {
    const { sent, received } = legsOf(record, request);
    if (sent !== undefined) {
      const total = totalOf(record.status, record.assetSent!);
      total.minor.sent += sent;
      total.sentCount += 1;
    }
    if (received !== undefined) {
      const total = totalOf(record.status, record.assetReceived!);
      total.minor.received += received;
      total.receivedCount += 1;
    }
  }
  return [...totals.values()].map(({ minor, ...total }) => ({
    ...total,
    received: formatMinor(minor.received, decimals),
    sent: formatMinor(minor.sent, decimals),
  }));
}
