import type { Ctx } from '../../context.ts';
import { decimalsOf } from '../assets.ts';
import type { LineFilter, LineView } from './line.ts';
import { presentLine } from './present-line.ts';
import { selectLinePage } from './queries.ts';

export interface LinePage {
  currentPage: number;
  pageSize: number;
}

/** A page of a user's ledger, newest first, and how many lines there are in all. Any page costs the same. */
export async function listLines(
  ctx: Ctx,
  { currentPage, pageSize, ...filter }: LineFilter & LinePage,
): Promise<{ total: number; lines: LineView[] }> {
  const page = { offset: currentPage * pageSize, limit: pageSize };
  const { total, lines } = await selectLinePage(ctx.db, filter, page);
  return {
    total,
    lines: lines.map((row) => {
      const { network, sentCurrency, receivedCurrency, runningBalance } = row;
      return presentLine(row, runningBalance, (accountId) => {
        const currency = (accountId === row.sentAccountId ? sentCurrency : receivedCurrency)!;
        return { network, currency, decimals: decimalsOf(ctx.evm, { network, currency }) };
      });
    }),
  };
}
