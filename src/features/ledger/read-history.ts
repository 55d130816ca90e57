import type { Ctx, KeyActor } from '#context';
import { nextPageOf, pinEnd } from '#platform/commands/tool-shapes';
import { invalidField } from '#platform/errors/errors';
import { foldText } from '#platform/values/fold-text';
import { readPeriod } from '#platform/values/instant';
import { parseMinor } from '#platform/values/money';
import { describeLines } from './describe-lines.ts';
import { decimalsMax, type Filter, type Found } from './find/filter.ts';
import { type FoundLine, findLines } from './find/find-lines.ts';
import { type FoundRecord, findUnsettled } from './find/find-unsettled.ts';
import { hasMovement } from './lines/has-movement.ts';
import { lineTypes } from './lines/line.ts';
import { type History, type HistoryArguments, presentSummary, presentTransaction } from './tools-wire.ts';

type Arguments = Omit<HistoryArguments, 'filterByHash'>;

/** A page of the key owner's history, and on the first page the figures of all pages. */
export async function readHistory(ctx: Ctx<KeyActor>, given: Arguments): Promise<History> {
  const { startDate, endDate, limit = 20, currentPage = 0, includeIds = false, sort = 'newest' } = given;
  const { now, actor } = ctx;
  const { userId } = actor;
  const filter = readFilter(ctx, given);
  const offset = currentPage * limit;
  const unsettled = await findUnsettledPart(ctx, given, { ...filter, offset, limit });
  const settled = await findSettledPart(ctx, given, {
    ...filter,
    offset: Math.max(0, offset - unsettled.total),
    limit: limit - unsettled.items.length,
  });
  const truncated = offset + limit < unsettled.total + settled.total;
  const transactions = [
    ...unsettled.items.map((record) => presentTransaction(record, { includeIds, known: record.known })),
    ...(await describeLines(ctx, settled.items, {
      includeIds,
      ...(given.group && { group: { sort, ...filter } }),
    })),
  ];
  const dates = [...unsettled.items, ...settled.items].map(({ transactionDate }) =>
    Date.parse(transactionDate),
  );
  const newest = dates.length > 0 ? new Date(Math.max(...dates)) : undefined;
  // In other orders, what is dated ahead of our clock may be on a later page.
  const isNewestFirst = sort === 'newest' && given.status !== 'all';
  const pinned = isNewestFirst ? pinEnd(given, 'endDate', { now, newest }) : given;
  const summary = presentSummary([unsettled, settled]);
  return {
    userId,
    ...(startDate !== undefined && { startDate }),
    ...(endDate !== undefined && { endDate }),
    count: transactions.length,
    truncated,
    hasEurcActivity: await hasMovement(ctx, {
      userId,
      currency: 'EURC',
      startAt: filter.startAt,
      endAt: filter.endAt,
    }),
    ...((currentPage === 0 || summary.searchedTo !== undefined) && { summary }),
    transactions,
    ...nextPageOf(pinned, truncated),
  };
}

type Part = Filter & { offset: number; limit: number };

/** The part of what is not settled that a status names; the others name all of it. */
const onlyOf: Readonly<Record<string, 'open' | 'failed' | undefined>> = { pending: 'open', failed: 'failed' };

const nothing = { total: 0, totals: [], items: [] };

async function findUnsettledPart(
  ctx: Ctx<KeyActor>,
  { status = 'settled', sort = 'newest' }: Arguments,
  part: Part,
): Promise<Found<FoundRecord>> {
  if (status === 'settled') return nothing;
  const { userId } = ctx.actor;
  return findUnsettled(ctx, { ...part, userId, sort, only: onlyOf[status] });
}

async function findSettledPart(
  ctx: Ctx<KeyActor>,
  { status = 'settled', sort = 'newest' }: Arguments,
  part: Part,
): Promise<Found<FoundLine>> {
  if (status !== 'settled' && status !== 'all') return nothing;
  return findLines(ctx, { ...part, userId: ctx.actor.userId, sort });
}

function readFilter({ evm }: Ctx, given: Arguments): Filter {
  const { startDate, endDate, type, direction, minAmount, text } = given;
  if (minAmount !== undefined && parseMinor(minAmount, decimalsMax) === undefined) {
    throw invalidField(
      'minAmount',
      `must be a decimal string such as "12.5", with at most ${decimalsMax} decimals`,
    );
  }
  const networks = [...evm.values()];
  const tokens = new Set(networks.flatMap((network) => [...network.tokens.keys()]));
  return {
    types: type === undefined ? lineTypes : [type],
    asset: readName('asset', given.asset?.toUpperCase(), [...tokens].sort()),
    network: readName(
      'network',
      given.network?.toLowerCase(),
      networks.map(({ name }) => name),
    ),
    direction,
    minAmount,
    // Accents alone are no text.
    text: text !== undefined && foldText(text).trim() !== '' ? text.trim() : undefined,
    ...readPeriod(['startDate', startDate], ['endDate', endDate]),
  };
}

function readName(field: string, name: string | undefined, known: readonly string[]): string | undefined {
  if (name === undefined || known.includes(name)) return name;
  throw invalidField(field, `must be one of ${known.join(', ')}`);
}
