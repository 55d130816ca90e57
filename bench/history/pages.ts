import assert from 'node:assert/strict';
import { type Ctx, contextFor, type KeyActor } from '#context';
import { issueKey } from '#features/keys';
import { accountFeatures } from '#features/ledger';
import { allowUser } from '#features/partners';
import type { Db } from '#platform/db/db';
import { type LineType, lineTypes } from '../../src/features/ledger/lines/line.ts';
import { listLines } from '../../src/features/ledger/lines/list-lines.ts';
import { listUnsettled } from '../../src/features/ledger/unsettled/list-unsettled.ts';
import { median, noteWorst, ratioOf, takeTurns, turns, type Worst, warmUpTurns } from '../measure.ts';
import { operatorContext } from '../withdrawals/world.ts';
import { bigLines, firstDay, lastDay, smallLines } from './seed.ts';
import type { HistoryWorld } from './world.ts';

const goal = 2;

export interface Window {
  name: string;
  startAt?: Date;
  endAt?: Date;
}

const at = (share: number) => new Date(firstDay + Math.round((lastDay - firstDay) * share));

export const windows: readonly Window[] = [
  { name: 'no window' },
  { name: 'window in the middle', startAt: at(0.4), endAt: at(0.6) },
  { name: 'window deep at both ends', startAt: at(0.03), endAt: at(0.12) },
];

export const unsettled = 'account-unsettled';
export const features: Readonly<Record<string, readonly LineType[]>> = {
  ...accountFeatures,
  [unsettled]: lineTypes,
};

/** A query of one user: everything but the page. */
export interface Query {
  userId: string;
  feature: string;
  window: Window;
  pageSize: number;
}

interface Page {
  total: number;
  lines: { uniqueHashId: string; runningBalance: string | null }[];
}

/**
 * Any page against page 0 of the same query, and page 0 of three million lines against page 0 of a hundred.
 */
export async function measurePages(world: HistoryWorld): Promise<void> {
  const { bigUser, smallUsers } = world;
  const [smallUser] = await world.db.query<{ id: string }>(
    `select user_id as id from ledger_lists where not is_settled and user_id = any ($1::uuid[]) order by id limit 1`,
    [smallUsers],
  );
  const small = smallUser!.id;
  await allowUser(operatorContext(world.deps), { partnerId: world.partnerId, userId: small });
  const { token } = await issueKey(operatorContext(world.deps), {
    name: 'small',
    partnerId: world.partnerId,
    userId: small,
  });
  const tokens = new Map([
    [bigUser, world.key.token],
    [small, token],
  ]);
  const worst = { page: noteWorst(goal), first: noteWorst(goal) };
  for (const pageSize of [10, 100]) {
    for (const feature of Object.keys(features)) {
      for (const window of windows) {
        const query = { userId: bigUser, feature, window, pageSize };
        await measureQuery(world, tokens, query, worst.page);
      }
    }
  }
  for (const pageSize of [10, 100]) {
    for (const feature of Object.keys(features)) {
      for (const window of windows) {
        const queries = [bigUser, small].map((userId) => ({ userId, feature, window, pageSize }));
        await measureFirst(world, tokens, queries, worst.first);
      }
    }
  }
  await measureSpread(world, worst.page);
  worst.page.print(`any page / page 0`);
  worst.first.print(`page 0 of ${bigLines} lines / of ${smallLines}`);
}

async function measureQuery(
  world: HistoryWorld,
  tokens: ReadonlyMap<string, string>,
  query: Query,
  worst: Worst,
): Promise<void> {
  const { pageSize } = query;
  const { total } = await ask(world, query, 0);
  const lastFull = Math.floor(total / pageSize) - 1;
  const pages = [0, Math.floor(lastFull / 2), lastFull];
  const counting = await plainCount(world.db, query);
  const plain: number[] = [];
  for (const page of pages)
    plain.push(counting.took + (await requireSame(world, query, page, counting.count)));

  const bare = await takeTurns(pages.map((page) => () => ask(world, query, page)));
  const http = await askOverHttp(
    world,
    tokens,
    pages.map((page) => [query, page]),
  );
  const name = `${query.feature}, ${query.window.name}, pageSize ${pageSize}`;
  const figures = { HTTP: http, bare };
  const parts = Object.entries(figures).map(([kind, times]) => {
    const [first, ...others] = times.map(median);
    const ratios = times.slice(1).map((ofPage) => ratioOf(ofPage, times[0]!));
    for (const [n, ratio] of ratios.entries()) worst.note(kind, ratio, `${name}, page ${pages[n + 1]}`);
    return `${kind} ${ratios.map((ratio) => ratio.toFixed(2)).join(' and ')} (${toText(others)} / ${first!.toFixed(2)} ms)`;
  });
  console.log(
    `${name}: pages ${pages[1]} and ${pages[2]} / page 0: ${parts.join(', ')}; plain OFFSET with count(*): ${toText(plain, 0)} ms`,
  );
}

async function measureFirst(
  world: HistoryWorld,
  tokens: ReadonlyMap<string, string>,
  queries: readonly Query[],
  worst: Worst,
): Promise<void> {
  const sizes = [];
  for (const query of queries) sizes.push((await ask(world, query, 0)).lines.length);
  // A page with fewer lines is cheaper for another reason.
  if (sizes[0] !== sizes[1]) return;
  const bare = await takeTurns(queries.map((query) => () => ask(world, query, 0)));
  const http = await askOverHttp(
    world,
    tokens,
    queries.map((query) => [query, 0]),
  );
  const { feature, window, pageSize } = queries[0]!;
  const name = `${feature}, ${window.name}, pageSize ${pageSize}`;
  const parts = Object.entries({ HTTP: http, bare }).map(([kind, [big, small]]) => {
    const ratio = ratioOf(big!, small!);
    worst.note(kind, ratio, name);
    return `${kind} ${ratio.toFixed(2)} (${median(big!).toFixed(2)} / ${median(small!).toFixed(2)} ms)`;
  });
  console.log(`${name}: page 0 of ${bigLines} lines / of ${smallLines}: ${parts.join(', ')}`);
}

/** Pages all over the list: how far one is from the beginnings of nodes differs. */
async function measureSpread(world: HistoryWorld, worst: Worst): Promise<void> {
  for (const feature of ['account', 'account-swap', unsettled]) {
    const query = { userId: world.bigUser, feature, window: windows[0]!, pageSize: 10 };
    const { total } = await ask(world, query, 0);
    const pages = Array.from({ length: 60 }, (_, n) => Math.floor(((n + 0.37) / 60) * (total / 10)));
    const [first, ...others] = await takeTurns(
      [0, ...pages].map((page) => () => ask(world, query, page)),
      9,
    );
    const ratios = others.map((times) => ratioOf(times, first!)).toSorted((a, b) => a - b);
    worst.note('bare', ratios.at(-1)!, `${feature}, no window, pageSize 10, the slowest of 60 pages`);
    console.log(
      `${feature}, 60 pages all over the list / page 0, bare: median ${median(ratios).toFixed(2)}, highest ${ratios.at(-1)!.toFixed(2)}`,
    );
  }
}

const toText = (some: readonly number[], digits = 2) => some.map((ms) => ms.toFixed(digits)).join(', ');

export async function askOverHttp(
  world: HistoryWorld,
  tokens: ReadonlyMap<string, string>,
  requests: readonly (readonly [Query, number])[],
): Promise<number[][]> {
  const order = {
    kind: 'latency' as const,
    port: world.port,
    token: '',
    paths: requests.map(([query, page]) => pathOf(query, page)),
    tokens: requests.map(([{ userId }]) => tokens.get(userId)!),
  };
  await world.load({ ...order, turns: warmUpTurns });
  const { milliseconds } = await world.load({ ...order, turns });
  return milliseconds;
}

function pathOf({ feature, window, pageSize }: Query, page: number): string {
  const search = new URLSearchParams({
    resource: 'account',
    feature,
    pageSize: String(pageSize),
    currentPage: String(page),
    ...(window.startAt && { startDate: window.startAt.toISOString() }),
    ...(window.endAt && { endDate: window.endAt.toISOString() }),
  });
  return `/api/history?${search}`;
}

export async function ask(world: HistoryWorld, query: Query, currentPage: number): Promise<Page> {
  const { userId, feature, window, pageSize } = query;
  const actor: KeyActor = {
    kind: 'key',
    keyId: world.key.id,
    partnerId: world.partnerId,
    userId,
    scopes: [],
  };
  const ctx: Ctx<KeyActor> = contextFor(world.deps, actor, world.deps.log);
  const { startAt, endAt } = window;
  const terms = { userId, startAt, endAt, currentPage, pageSize };
  if (feature === unsettled) {
    const { total, records } = await listUnsettled(ctx, terms);
    return { total, lines: records };
  }
  return listLines(ctx, { ...terms, types: features[feature]! });
}

const plainSource = ({ feature }: Query) => {
  const isSettled = feature !== unsettled;
  return `from ${isSettled ? 'ledger_lines' : 'ledger_unsettled'} l
    where list_id = (select id from ledger_lists where user_id = $1 and is_settled = ${isSettled})
      and type = any ($2::ledger_line_type[])
      and transaction_at between coalesce($3::timestamptz, '-infinity') and coalesce($4::timestamptz, 'infinity')`;
};

const plainValues = ({ userId, feature, window }: Query) => [
  userId,
  features[feature],
  window.startAt ?? null,
  window.endAt ?? null,
];

export async function plainCount(db: Db, query: Query): Promise<{ count: number; took: number }> {
  const startedAt = performance.now();
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) ${plainSource(query)}`,
    plainValues(query),
  );
  return { count: Number(row!.count), took: performance.now() - startedAt };
}

/** Throws unless the page is what a plain query finds; how many milliseconds that one took. */
export async function requireSame(
  world: HistoryWorld,
  query: Query,
  page: number,
  count: number,
): Promise<number> {
  const { total, lines } = await ask(world, query, page);
  const { feature, window, pageSize } = query;
  const isSettled = feature !== unsettled;
  const startedAt = performance.now();
  const plain = await world.db.query<{ key: string; at: string; number: bigint; accountId: bigint | null }>(
    `select unique_hash_id as key, transaction_at::text as at, number,
       ${isSettled ? 'coalesce(received_account_id, sent_account_id)' : 'null::bigint'} as "accountId"
     ${plainSource(query)} order by transaction_at desc, number desc offset ${page * pageSize} limit ${pageSize}`,
    plainValues(query),
  );
  const took = performance.now() - startedAt;
  const name = `${feature}, ${window.name}, pageSize ${pageSize}, page ${page}`;
  assert.equal(total, count, name);
  assert.deepEqual(
    lines.map(({ uniqueHashId }) => uniqueHashId),
    plain.map(({ key }) => key),
    name,
  );
  if (!isSettled || pageSize > 10) return took;
  for (const place of [0, lines.length - 1]) {
    const balance = await plainBalance(world.db, plain[place]!);
    const [whole, fraction = ''] = lines[place]!.runningBalance!.split('.');
    assert.equal(
      BigInt(whole! + fraction.padEnd(6, '0')),
      balance,
      `${name}: runningBalance of line ${place}`,
    );
  }
  return took;
}

async function plainBalance(
  db: Db,
  { at, number, accountId }: { at: string; number: bigint; accountId: bigint | null },
): Promise<bigint> {
  const [row] = await db.query<{ balance: bigint }>(
    `select sum(amount) as balance from ledger_movements
     where account_id = $1 and (transaction_at < $2::timestamptz or transaction_at = $2::timestamptz and number <= $3)`,
    [accountId, at, number],
  );
  return row!.balance;
}
