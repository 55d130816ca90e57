import type { Evm } from '#adapters/evm';
import type { Ctx } from '#context';
import { parseMinor } from '#platform/values/money';
import { decimalsOf } from '../assets.ts';
import type { LineRow, LineView } from '../lines/line.ts';
import { PresentedLine } from '../lines/present-line.ts';
import { addUp } from './add-up.ts';
import { decimalsMax, type Filter, type Found, type Sorting } from './filter.ts';
import { type FilterAccount, foldWords, searchLines, selectAccounts, selectFound } from './queries.ts';

/** A line without a balance: between the lines of a filter are others. */
export type FoundLine = Omit<LineView, 'runningBalance'> & { number: bigint };

/** How many lines a search for a text, an amount or the largest looks at. More would take too long. */
export const searchMax = 10_000;

export interface FindRequest extends Filter {
  userId: string;
  offset: number;
  limit: number;
  sort: Sorting;
}

/**
 * A page of a user's settled lines, and count and sums of the whole filter. By type, asset, network,
 * direction and period, any page of any ledger costs the same. Texts, amounts and the order by amount look at
 * each line, at most at `searchMax`.
 */
export async function findLines(ctx: Ctx, request: FindRequest): Promise<Found<FoundLine>> {
  const { db, evm } = ctx;
  const { userId, types, asset, network, direction, minAmount, text, sort, offset, limit } = request;
  const all = (await selectAccounts(db, userId)).map((account) => ({
    ...account,
    decimals: decimalsOf(evm, account),
  }));
  const ids = all
    .filter((one) => (asset ?? one.currency) === one.currency && (network ?? one.network) === one.network)
    .map(({ id }) => id);
  const filter = {
    userId,
    types,
    senders: direction === 'in' ? [] : ids,
    receivers: direction === 'out' ? [] : ids,
    startAt: request.startAt,
    endAt: request.endAt,
  };
  const slice = { offset, limit };
  const isIndexed = minAmount === undefined && text === undefined && sort !== 'largest';
  const { total, sums, lines, searchedTo } = isIndexed
    ? {
        ...(await selectFound(db, filter, { ...slice, oldestFirst: sort === 'oldest' })),
        searchedTo: undefined,
      }
    : await searchLines(db, filter, {
        ...slice,
        sorting: sort,
        isByAccount: ids.length < all.length,
        scales: all.map(({ id, decimals }) => ({ id, scale: 10n ** BigInt(decimalsMax - decimals) })),
        minAmount: minAmount === undefined ? 0n : parseMinor(minAmount, decimalsMax)!,
        words: text === undefined ? undefined : await foldWords(db, text),
        most: searchMax,
      });
  return {
    total,
    totals: addUp(all, sums),
    items: presentLines(evm, all, lines),
    ...(searchedTo && { searchedTo: searchedTo.toISOString() }),
  };
}

/** Rows of one user as people see them. */
export function presentLines(
  evm: Evm,
  accounts: readonly FilterAccount[],
  rows: readonly LineRow[],
): FoundLine[] {
  const byId = new Map(
    accounts.map((account) => [account.id, { ...account, decimals: decimalsOf(evm, account) }]),
  );
  return rows.map((row) => {
    const { runningBalance: _, ...view } = new PresentedLine(row, 0n, (id) => byId.get(id)!);
    return { ...view, number: row.number };
  });
}
