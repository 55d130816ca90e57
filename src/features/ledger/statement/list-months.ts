import type { Ctx } from '#context';
import { lineTypes } from '../lines/line.ts';
import { listLines } from '../lines/list-lines.ts';

const monthsMax = 12;

/**
 * The running month and those before it, back to a user's first line, newest first: at most a year.
 *
 * @example ['2026-11', '2026-10']
 */
export async function listMonths(ctx: Ctx, { userId }: { userId: string }): Promise<string[]> {
  const first = await findFirstDate(ctx, userId);
  const [year, month] = [ctx.now.getUTCFullYear(), ctx.now.getUTCMonth()];
  const months = Array.from({ length: monthsMax }, (_, back) =>
    monthOf(new Date(Date.UTC(year, month - back))),
  );
  return months.filter((month, place) => place === 0 || (first && month >= monthOf(first)));
}

const monthOf = (instant: Date) => instant.toISOString().slice(0, 7);

async function findFirstDate(ctx: Ctx, userId: string): Promise<Date | undefined> {
  const filter = { userId, types: lineTypes, pageSize: 1 };
  const { total } = await listLines(ctx, { ...filter, currentPage: 0 });
  if (total === 0) return undefined;
  const { lines } = await listLines(ctx, { ...filter, currentPage: total - 1 });
  return lines[0] && new Date(lines[0].transactionDate);
}
