import type { Evm } from '#adapters/evm';
import type { Ctx } from '#context';
import { parseMinor } from '#platform/values/money';
import { decimalsOf } from '../assets.ts';
import type { LineRow } from '../lines/line-row.ts';
import { LineView } from '../lines/present-line.ts';
import { addUp } from './add-up.ts';
import { decimalsMax, type Filter, type Found, type Sorting } from './filter.ts';
import { type FilterAccount, type FoundLines, selectFound } from './queries/found.ts';
import { searchLines } from './queries/search.ts';

/** A line without a balance: between the lines of a filter are others. */
export type FoundLine = Omit<LineView, 'runningBalance'> & { number: bigint };

/** How many lines a search for an amount or the largest looks at, and one for a text: more take too long. */
export const searchMax = 10_000;
export const textSearchMax = 5_000;

export interface FindRequest extends Filter {
  userId: string;
  offset: number;
  limit: number;
  sort: Sorting;
}

/**
 * A page of a user's settled lines, and count and sums of the whole filter. By type, asset, network,
 * direction and period, any page of any ledger costs the same. Texts, amounts and the order by amount look at
 * each line, at most at `searchMax` or `textSearchMax`.
 */
export async function findLines(ctx: Ctx, request: FindRequest): Promise<Found<FoundLine>> {
  const { db, evm } = ctx;
  const { sort, offset, limit, minAmount, text, ...filter } = request;
  const isIndexed = minAmount === undefined && text === undefined && sort !== 'largest';
  const found: FoundLines & { searchedTo?: Date | undefined } = isIndexed
    ? await selectFound(db, filter, { offset, limit, oldestFirst: sort === 'oldest' })
    : await searchLines(db, filter, {
        offset,
        limit,
        sorting: sort,
        scales: scalesOf(evm),
        minAmount: minAmount === undefined ? 0n : parseMinor(minAmount, decimalsMax)!,
        text,
        most: text === undefined ? searchMax : textSearchMax,
      });
  const { accounts, searchedTo } = found;
  return {
    total: found.total,
    totals: addUp(evm, accounts, found.sums),
    items: presentLines(evm, accounts, found.lines),
    ...(searchedTo && { searchedTo: searchedTo.toISOString() }),
  };
}

const scalesOf = (evm: Evm) =>
  [...evm.values()].flatMap(({ name, tokens }) =>
    [...tokens.values()].map(({ symbol, decimals }) => ({
      network: name,
      currency: symbol,
      scale: 10n ** BigInt(decimalsMax - decimals),
    })),
  );

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
    const { runningBalance: _, ...view } = new LineView(row, 0n, (id) => byId.get(id)!);
    return { ...view, number: row.number };
  });
}
