import type { Ctx } from '#context';
import { uuidForm } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import { listUnsettled, type UnsettledView } from '../unsettled/list-unsettled.ts';
import { isFinal } from '../unsettled/states.ts';
import {
  type AssetTotal,
  decimalsMax,
  type Filter,
  type Found,
  type Knowledge,
  type Sorting,
} from './filter.ts';
import { legsOf, matches, sortBy } from './matches.ts';
import { selectPayees } from './queries/parties.ts';

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

/** A record, and who a withdrawal pays. */
export type FoundRecord = UnsettledView & { known: Knowledge };

/** A page of what is not settled of a user, and count and sums of the whole filter by status. */
export async function findUnsettled(ctx: Ctx, request: FindUnsettled): Promise<Found<FoundRecord>> {
  const { userId, startAt, endAt, sort, only, offset, limit } = request;
  const page = { currentPage: 0, pageSize: unsettledMax };
  const { total, records } = await listUnsettled(ctx, { userId, startAt, endAt, ...page });
  const payees = await selectPayees(
    ctx.db,
    userId,
    records.map(({ id }) => id).filter((id) => uuidForm.test(id)),
  );
  const found = records
    .map((record) => ({ ...record, known: payees.get(record.id) ?? {} }))
    .filter(({ known, ...record }) => {
      const party = Object.values(known.counterparty ?? {}).join(' ');
      const isMeant = only === undefined || isFinal(record.status) === (only === 'failed');
      return isMeant && matches(record, request, party);
    });
  return {
    total: found.length,
    totals: addUp(found, request),
    items: sortBy(found, sort, request).slice(offset, offset + limit),
    ...(total > records.length && { searchedTo: records.at(-1)!.transactionDate }),
  };
}

function addUp(found: readonly UnsettledView[], filter: Filter): AssetTotal[] {
  const moved = found.flatMap((record) => {
    const { sent, received } = legsOf(record, filter);
    const { status, assetSent, assetReceived } = record;
    return [
      ...(sent === undefined ? [] : [{ status, asset: assetSent!, sent, received: 0n }]),
      ...(received === undefined ? [] : [{ status, asset: assetReceived!, sent: 0n, received }]),
    ];
  });
  const groups = Map.groupBy(moved, ({ status, asset }) => `${status} ${asset}`);
  return [...groups.values()].map((some) => {
    const add = (field: 'sent' | 'received') =>
      formatMinor(
        some.reduce((total, leg) => total + leg[field], 0n),
        decimalsMax,
      );
    return {
      status: some[0]!.status,
      asset: some[0]!.asset,
      received: add('received'),
      receivedCount: some.filter(({ received }) => received > 0n).length,
      sent: add('sent'),
      sentCount: some.filter(({ sent }) => sent > 0n).length,
    };
  });
}
