import assert from 'node:assert/strict';
import { listCardTransactions } from '../../src/features/cards/lists/list-card-transactions.ts';
import { listMovements } from '../../src/features/cards/lists/list-movements.ts';
import { median, noteWorst, ratioOf, takeTurns, type Worst } from '../measure.ts';
import { bigTransactions, firstDay, lastDay, smallTransactions } from './seed.ts';
import { askOverHttp, type CardWorld, keyContext } from './world.ts';

interface Window {
  name: string;
  startAt?: Date;
  endAt?: Date;
}

const at = (share: number) => new Date(firstDay + Math.round((lastDay - firstDay) * share));

const windows: readonly Window[] = [
  { name: 'no window' },
  { name: 'window in the middle', startAt: at(0.4), endAt: at(0.6) },
  { name: 'window deep at both ends', startAt: at(0.03), endAt: at(0.12) },
  { name: 'from a start on', startAt: at(0.7) },
];

type Feature = 'cards-transactions' | 'cards-balance';
const features: readonly Feature[] = ['cards-transactions', 'cards-balance'];

/** A query of one user: everything but the page. */
interface Query {
  userId: string;
  feature: Feature;
  window: Window;
  pageSize: number;
}

/** Any page against page 0, and page 0 of a million against page 0 of a hundred. */
export async function measurePages(world: CardWorld): Promise<void> {
  const { bigUser, smallUser } = world;
  const worst = { own: noteWorst(2), plain: noteWorst(2), first: noteWorst(2) };
  for (const feature of features) {
    for (const pageSize of [10, 100]) {
      for (const window of windows) {
        await measureQuery(world, { userId: bigUser, feature, window, pageSize }, worst);
      }
    }
    await measureSpread(world, { userId: bigUser, feature, window: windows[0]!, pageSize: 10 }, worst.own);
    const queries = [bigUser, smallUser].map((userId) => ({
      userId,
      feature,
      window: windows[0]!,
      pageSize: 10,
    }));
    await measureFirst(world, queries, worst.first);
  }
  worst.own.print('any page / page 0 of the same query');
  worst.plain.print('any page / page 0 without a window');
  worst.first.print(`page 0 of ${bigTransactions} / of ${smallTransactions}`);
}

async function measureQuery(
  world: CardWorld,
  query: Query,
  worst: { own: Worst; plain: Worst },
): Promise<void> {
  const { pageSize } = query;
  const { total } = await ask(world, query, 0);
  const lastFull = Math.floor(total / pageSize) - 1;
  const pages = [0, Math.floor(lastFull / 2), lastFull];
  const plain: number[] = [];
  for (const page of pages) plain.push(await requireSame(world, query, page));

  const whole: Query = { ...query, window: windows[0]! };
  const asked: [Query, number][] = [[whole, 0], ...pages.map((page): [Query, number] => [query, page])];
  const bare = await takeTurns(
    asked.map(
      ([each, page]) =>
        () =>
          ask(world, each, page),
    ),
  );
  const http = await askOverHttp(
    world,
    asked.map(([each, page]) => ({ userId: each.userId, path: pathOf(each, page) })),
  );
  const name = `${query.feature}, ${query.window.name}, pageSize ${pageSize}`;
  const parts = Object.entries({ HTTP: http, bare }).map(([kind, [plainFirst, ...times]]) => {
    const ratios = times.slice(1).map((ofPage) => ratioOf(ofPage, times[0]!));
    for (const [n, ratio] of ratios.entries()) worst.own.note(kind, ratio, `${name}, page ${pages[n + 1]}`);
    for (const [n, ofPage] of times.entries())
      worst.plain.note(kind, ratioOf(ofPage, plainFirst!), `${name}, page ${pages[n]}`);
    const [first, ...others] = times.map(median);
    return `${kind} ${ratios.map((ratio) => ratio.toFixed(2)).join(' and ')} (${toText(others)} / ${first!.toFixed(2)} ms)`;
  });
  console.log(
    `${name}: pages ${pages[1]} and ${pages[2]} / page 0: ${parts.join(', ')}; plain OFFSET with count(*): ${toText(plain, 0)} ms`,
  );
}

/** Pages all over the list: how far one is from the beginnings of nodes differs. */
async function measureSpread(world: CardWorld, query: Query, worst: Worst): Promise<void> {
  const { total } = await ask(world, query, 0);
  const pages = Array.from({ length: 60 }, (_, n) =>
    Math.floor(((n + 0.37) / 60) * (total / query.pageSize)),
  );
  const [first, ...others] = await takeTurns(
    [0, ...pages].map((page) => () => ask(world, query, page)),
    9,
  );
  const ratios = others.map((times) => ratioOf(times, first!)).toSorted((a, b) => a - b);
  worst.note('bare', ratios.at(-1)!, `${query.feature}, no window, the slowest of 60 pages`);
  console.log(
    `${query.feature}, 60 pages all over the list / page 0, bare: median ${median(ratios).toFixed(2)}, highest ${ratios.at(-1)!.toFixed(2)}`,
  );
}

async function measureFirst(world: CardWorld, queries: readonly Query[], worst: Worst): Promise<void> {
  const bare = await takeTurns(queries.map((query) => () => ask(world, query, 0)));
  const http = await askOverHttp(
    world,
    queries.map((query) => ({ userId: query.userId, path: pathOf(query, 0) })),
  );
  for (const [kind, [big, small]] of Object.entries({ HTTP: http, bare })) {
    worst.note(kind, ratioOf(big!, small!), `${queries[0]!.feature}, ${median(big!).toFixed(2)} ms`);
  }
}

const toText = (some: readonly number[], digits = 2) => some.map((ms) => ms.toFixed(digits)).join(', ');

function pathOf({ feature, window, pageSize }: Query, page: number): string {
  const search = new URLSearchParams({
    resource: 'cards',
    feature,
    pageSize: String(pageSize),
    currentPage: String(page),
    ...(window.startAt && { startDate: window.startAt.toISOString() }),
    ...(window.endAt && { endDate: window.endAt.toISOString() }),
  });
  return `/api/history?${search}`;
}

async function ask(
  world: CardWorld,
  { userId, feature, window: { startAt, endAt }, pageSize }: Query,
  currentPage: number,
): Promise<{ total: number; ids: string[] }> {
  const terms = { userId, startAt, endAt, currentPage, pageSize };
  const ctx = keyContext(world, userId);
  if (feature === 'cards-balance') {
    const { total, movements } = await listMovements(ctx, terms);
    return { total, ids: movements.map(({ id }) => id) };
  }
  const { total, transactions } = await listCardTransactions(ctx, terms);
  return { total, ids: transactions.map(({ id }) => id) };
}

/** Throws unless the page is what a plain query finds; how many milliseconds that one took. */
async function requireSame(world: CardWorld, query: Query, page: number): Promise<number> {
  const { userId, feature, window, pageSize } = query;
  const { total, ids } = await ask(world, query, page);
  const source = `from ${feature === 'cards-balance' ? 'card_movements' : 'card_transactions'} where user_id = $1
    and created_at between coalesce($2::timestamptz, '-infinity') and coalesce($3::timestamptz, 'infinity')`;
  const values = [userId, window.startAt ?? null, window.endAt ?? null];
  const startedAt = performance.now();
  const [counted] = await world.db.query<{ count: bigint }>(`select count(*) ${source}`, values);
  const rows = await world.db.query<{ id: string }>(
    `select id ${source} order by created_at desc, number desc offset ${page * pageSize} limit ${pageSize}`,
    values,
  );
  const took = performance.now() - startedAt;
  assert.equal(total, Number(counted!.count), feature);
  assert.deepEqual(
    ids,
    rows.map(({ id }) => id),
    `${feature}, ${window.name}, page ${page}`,
  );
  return took;
}
