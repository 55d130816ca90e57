import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { decimalsOf } from '../assets.ts';
import { type LineFilter, lineTypes } from './line.ts';
import { type CountedAccount, countBack, LineView, presentPageLine } from './present-line.ts';
import { selectFullPage, selectNewestLines, selectTypedPage } from './queries/pages.ts';

/** A page of a user's ledger, newest first, and how many lines there are in all. Any page costs the same. */
export async function listLines(
  ctx: Ctx,
  { currentPage, pageSize, ...filter }: LineFilter & NumberedPage,
): Promise<{ total: number; lines: LineView[] }> {
  const slice = { offset: currentPage * pageSize, limit: pageSize };
  if (filter.types.length === lineTypes.length) return listFullPage(ctx, filter, slice);
  const { total, lines } = await selectTypedPage(ctx.db, filter, slice);
  return { total, lines: lines.map((row) => presentPageLine(ctx.evm, row)) };
}

/** Of every type: nothing is left out between the lines of a page, so their balances are counted back. */
async function listFullPage(
  { db, evm }: Ctx,
  { userId, startAt, endAt }: LineFilter,
  slice: { offset: number; limit: number },
) {
  const isNewest = slice.offset === 0 && !startAt && !endAt;
  const { total, lines, accounts } = isNewest
    ? await selectNewestLines(db, { userId, limit: slice.limit })
    : await selectFullPage(db, { userId, startAt, endAt }, slice);
  const counted = new Map<bigint, CountedAccount>();
  for (const account of accounts) {
    const { accountId, network, currency, balance } = account;
    if (counted.has(accountId)) continue;
    counted.set(accountId, { network, currency, balance, decimals: decimalsOf(evm, account) });
  }
  const accountOf = (accountId: bigint) => counted.get(accountId)!;
  return { total, lines: lines.map((row) => new LineView(row, countBack(row, accountOf), accountOf)) };
}
