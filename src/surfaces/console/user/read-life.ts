import type { Item } from '#platform/commands/values';
import type { CallCommand } from '../call-command.ts';

/** Lists of what happened to a user, each newest first. */
export const sources = ['audit', 'withdrawals', 'deposits', 'cards', 'consents'] as const;
export type Source = (typeof sources)[number];

interface Reading {
  command: string;
  /** The command has another order. A user has few of them: they are read at once and sorted. */
  isUnordered?: boolean;
  inputOf(userId: string): object;
  /** The time of a row; null if the row has none. */
  atOf(row: Item): unknown;
}

const readings: Readonly<Record<Source, Reading>> = {
  audit: {
    command: 'audit.list',
    inputOf: (userId) => ({ subject: `user:${userId}` }),
    atOf: ({ at }) => at,
  },
  withdrawals: {
    command: 'withdrawals.list',
    inputOf: (user) => ({ user }),
    atOf: ({ createdAt }) => createdAt,
  },
  deposits: {
    command: 'deposits.list',
    inputOf: (userId) => ({ userId }),
    atOf: ({ at, postedAt }) => at ?? postedAt,
  },
  cards: {
    command: 'cards.list',
    isUnordered: true,
    inputOf: (userId) => ({ userId }),
    atOf: ({ createdAt }) => createdAt,
  },
  consents: {
    command: 'consents.list',
    inputOf: (userId) => ({ userId }),
    atOf: ({ requestedAt }) => requestedAt,
  },
};

/** How far a list was read: the page of its command, and the rows of it that were shown. */
export interface Place {
  cursor: string | null;
  skip: number;
  isDone: boolean;
}

export type Places = Readonly<Record<Source, Place>>;

export const start: Places = Object.fromEntries(
  sources.map((source) => [source, { cursor: null, skip: 0, isDone: false }]),
) as Places;

export interface LifeRow {
  source: Source;
  at: string | undefined;
  row: Item;
}

/** What a page shows; each list is read that far, and each of its pages once more at most. */
export const rowsOfLife = 25;

/** The largest page of a command. */
const unorderedMax = 200;

/** The next rows of all lists in order of time, and the places after them; null at the end. */
export async function readLife(
  call: CallCommand,
  userId: string,
  places: Places,
): Promise<{ rows: LifeRow[]; next: Places | null }> {
  const queues = await Promise.all(
    sources.map(async (source) => ({
      source,
      queue: await readSource(call, source, userId, places[source]),
    })),
  );
  const after = { ...places };
  const rows: LifeRow[] = [];
  while (rows.length < rowsOfLife) {
    const heads = queues.filter(({ queue }) => queue.length > 0);
    const [first, ...others] = heads;
    if (!first) break;
    const best = others.reduce(
      (one, other) => (isLater(other.queue[0]!, one.queue[0]!) ? other : one),
      first,
    );
    const { row, at, place } = best.queue.shift()!;
    rows.push({ source: best.source, at, row });
    after[best.source] = place;
  }
  const isEnd = queues.every(({ queue }) => queue.length === 0);
  return { rows, next: isEnd ? null : after };
}

interface Queued {
  row: Item;
  at: string | undefined;
  /** After this row. */
  place: Place;
}

/** A row without a time comes at once, as its list has it. */
const isLater = (one: Queued, other: Queued) =>
  other.at !== undefined && (one.at === undefined || one.at > other.at);

async function readSource(
  call: CallCommand,
  source: Source,
  userId: string,
  place: Place,
): Promise<Queued[]> {
  const queue: Queued[] = [];
  const { command, inputOf, atOf, isUnordered } = readings[source];
  const limit = isUnordered ? unorderedMax : rowsOfLife;
  let { cursor, skip, isDone } = place;
  // One more than the page shows, so that it is known whether there is a next page.
  while (!isDone && queue.length <= rowsOfLife) {
    const { data } = await call(command, {
      ...inputOf(userId),
      limit,
      ...(cursor !== null && { cursor }),
    });
    const given = data.items as Item[];
    const items = isUnordered
      ? given.toSorted((one, other) => (String(atOf(one)) < String(atOf(other)) ? 1 : -1))
      : given;
    const following = data.nextCursor as string | null;
    items.forEach((row, at) => {
      if (at < skip) return;
      const time = atOf(row);
      const isLast = at === items.length - 1;
      const ends: Place = isLast
        ? { cursor: following, skip: 0, isDone: following === null }
        : { cursor, skip: at + 1, isDone: false };
      queue.push({ row, at: typeof time === 'string' ? time : undefined, place: ends });
    });
    cursor = following;
    skip = 0;
    isDone = following === null;
  }
  return queue;
}

/** A row of `withdrawals.history`. */
export interface History {
  withdrawalId: string;
  states: { status: string; at: string }[];
  decisions: { name: string; decision: 'approve' | 'refuse'; comment: string | null; decidedAt: string }[];
}

/** What became of the withdrawals among the rows, by their ids. */
export async function readHistories(
  call: CallCommand,
  rows: readonly LifeRow[],
): Promise<ReadonlyMap<string, History>> {
  const withdrawalIds = rows.filter(({ source }) => source === 'withdrawals').map(({ row }) => row.id);
  if (withdrawalIds.length === 0) return new Map();
  const { data } = await call('withdrawals.history', { withdrawalIds });
  return new Map((data.items as History[]).map((one) => [one.withdrawalId, one]));
}

/** For the address of the next page. */
export const writePlaces = (places: Places): string =>
  Buffer.from(
    JSON.stringify(sources.map((one) => [places[one].cursor, places[one].skip, places[one].isDone])),
  ).toString('base64url');

const lengthMax = 4_000;

/** Undefined if it is not from a page; the commands check the cursors themselves. */
export function readPlaces(text: string): Places | undefined {
  if (text.length > lengthMax) return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== sources.length) return undefined;
  const isPlace = (part: unknown) =>
    Array.isArray(part) &&
    (part[0] === null || typeof part[0] === 'string') &&
    Number.isInteger(part[1]) &&
    part[1] >= 0 &&
    typeof part[2] === 'boolean';
  if (!parts.every(isPlace)) return undefined;
  return Object.fromEntries(
    sources.map((one, at) => {
      const [cursor, skip, isDone] = parts[at] as [string | null, number, boolean];
      return [one, { cursor, skip, isDone }];
    }),
  ) as Places;
}
