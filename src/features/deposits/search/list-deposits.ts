import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { readPeriod } from '#platform/values/instant';
import {
  hashStartLength,
  type ListedDeposit,
  type Place,
  selectDeposits,
  selectFirstBlocks,
} from './queries.ts';

export interface ListDeposits extends CursorInput {
  network?: string;
  userId?: string;
  currency?: string;
  transactionHash?: string;
  startDate?: string;
  endDate?: string;
}

/**
 * Deposits of all users, newest first: in a network in the order of the chain, and networks merged by time. A
 * cursor has the place in each network, so pages fit together whatever arrives meanwhile.
 */
export async function listDeposits(
  { db }: Ctx,
  { limit = 50, cursor, startDate, endDate, ...given }: ListDeposits,
): Promise<CursorPage<ListedDeposit>> {
  const filters = {
    network: given.network,
    userId: given.userId?.toLowerCase(),
    currency: given.currency,
    transactionHash: given.transactionHash?.toLowerCase(),
  };
  const { startAt, endAt } = readPeriod(['startDate', startDate], ['endDate', endDate]);
  const name = nameList('deposits.list', { ...filters, startAt, endAt });
  const places = readPlaces(decodeCursor(name, cursor, placesForm));
  const fromBlocks = startAt ? await selectFirstBlocks(db, startAt) : noBlocks;
  const later = endAt ? await selectFirstBlocks(db, new Date(endAt.getTime() + 1)) : noBlocks;
  const toBlocks = new Map([...later].map(([network, block]) => [network, block - 1]));
  const rows = await selectDeposits(db, { ...filters, places, fromBlocks, toBlocks, limit: limit + 1 });
  const { items, nextCursor } = toCursorPage(name, merge(rows, places), limit, (one) =>
    writePlaces(one.places),
  );
  return { items: items.map(({ row }) => row), nextCursor };
}

type Places = ReadonlyMap<string, Place>;
const noBlocks: ReadonlyMap<string, number> = new Map();

/** Each row with how far every network was read up to it. */
function merge(rows: readonly ListedDeposit[], start: Places): { row: ListedDeposit; places: Places }[] {
  const queues = [...Map.groupBy(rows, ({ network }) => network).values()].map(withTimes);
  const merged: { row: ListedDeposit; places: Places }[] = [];
  let places = start;
  for (;;) {
    const heads = queues.filter((queue) => queue.length > 0);
    const [first, ...others] = heads;
    if (!first) return merged;
    const next = others.reduce((best, queue) => (queue[0]!.time > best[0]!.time ? queue : best), first);
    const { row } = next.shift()!;
    places = new Map([...places, [row.network, placeOf(row)]]);
    merged.push({ row, places });
  }
}

/** A line that an operator posted has any date: such a row goes with the one before it. */
function withTimes(rows: readonly ListedDeposit[]): { row: ListedDeposit; time: number }[] {
  let time = Number.POSITIVE_INFINITY;
  return rows.map((row) => {
    if (row.postingKind === 'deposit' && row.at) time = row.at.getTime();
    return { row, time };
  });
}

const placeOf = ({ blockNumber, logIndex, transactionHash }: ListedDeposit): Place => ({
  block: blockNumber,
  logIndex,
  hashStart: transactionHash.slice(0, hashStartLength),
});

const placesForm =
  /^[a-z0-9-]{1,40}:\d{1,15}:\d{1,9}:0x[0-9a-f]{8}(?:,[a-z0-9-]{1,40}:\d{1,15}:\d{1,9}:0x[0-9a-f]{8})*$/;

const writePlaces = (places: Places) =>
  [...places].map(([network, one]) => `${network}:${one.block}:${one.logIndex}:${one.hashStart}`).join(',');

function readPlaces(text: string | undefined): Places {
  const parts = text?.split(',') ?? [];
  return new Map(
    parts.map((part) => {
      const [network = '', block, logIndex, hashStart = ''] = part.split(':');
      return [network, { block: Number(block), logIndex: Number(logIndex), hashStart }];
    }),
  );
}
