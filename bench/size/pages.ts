import { issueKey } from '#features/keys';
import { allowUser } from '#features/partners';
import type { Pool } from '#platform/db/db';
import {
  ask,
  askOverHttp,
  features,
  plainCount,
  type Query,
  requireSame,
  windows,
} from '../history/pages.ts';
import type { HistoryWorld } from '../history/world.ts';
import { median, noteWorst, ratioOf, takeTurns, type Worst } from '../measure.ts';
import { operatorContext } from '../withdrawals/world.ts';

const goal = 2;
const once = 300;

const accountFeatures = Object.keys(features).filter((name) => name !== 'account-unsettled');

/**
 * Page 0, middle pages and the last page of the user with half of all lines, against page 0 of the same query
 * of a small user.
 */
export async function measurePages(world: HistoryWorld, patient: Pool): Promise<void> {
  const tokens = await issueKeys(world);
  const worst = noteWorst(goal);
  await requireRight({ ...world, db: patient });
  for (const pageSize of [10, 100]) {
    for (const feature of accountFeatures) {
      for (const window of windows) {
        await measureQuery(world, tokens, { userId: world.bigUser, feature, window, pageSize }, worst);
      }
    }
  }
  worst.print('any page of the largest user / page 0 of a small user');
  await measureOnce(world);
}

const smallOf = ({ smallUsers }: HistoryWorld) => smallUsers[0]!;

async function issueKeys(world: HistoryWorld): Promise<Map<string, string>> {
  const userId = smallOf(world);
  const { deps, partnerId } = world;
  await allowUser(operatorContext(deps), { partnerId, userId });
  const { token } = await issueKey(operatorContext(deps), { name: 'small', partnerId, userId });
  return new Map([
    [world.bigUser, world.key.token],
    [userId, token],
  ]);
}

/** Three pages as a plain query with OFFSET finds them. */
async function requireRight(world: HistoryWorld): Promise<void> {
  const query = { userId: world.bigUser, feature: 'account', window: windows[0]!, pageSize: 10 };
  const { count, took } = await plainCount(world.db, query);
  const last = Math.floor(count / 10) - 1;
  const plain: number[] = [];
  for (const page of [0, Math.floor(last / 2), last]) {
    plain.push(took + (await requireSame(world, query, page, count)));
  }
  const figures = plain.map((ms) => ms.toFixed(0)).join(', ');
  console.log(`first, middle and last page of ${count} lines by plain OFFSET with count(*): ${figures} ms`);
}

async function measureQuery(
  world: HistoryWorld,
  tokens: ReadonlyMap<string, string>,
  query: Query,
  worst: Worst,
): Promise<void> {
  const small = { ...query, userId: smallOf(world) };
  const { total, lines } = await ask(world, query, 0);
  // A page with fewer lines is cheaper for another reason.
  if ((await ask(world, small, 0)).lines.length !== lines.length) return;
  const last = Math.floor(total / query.pageSize) - 1;
  const pages = [0, Math.floor(last / 3), Math.floor(last * 0.77), last];
  const calls: [Query, number][] = [[small, 0], ...pages.map((page): [Query, number] => [query, page])];
  const figures = {
    HTTP: await askOverHttp(world, tokens, calls),
    bare: await takeTurns(
      calls.map(
        ([one, page]) =>
          () =>
            ask(world, one, page),
      ),
    ),
  };
  const name = `${query.feature}, ${query.window.name}, pageSize ${query.pageSize}`;
  const parts = Object.entries(figures).map(([kind, [limit, ...times]]) => {
    const ratios = times.map((some) => ratioOf(some, limit!));
    for (const [n, ratio] of ratios.entries()) worst.note(kind, ratio, `${name}, page ${pages[n]}`);
    const texts = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
    return `${kind} ${texts} (limit ${median(limit!).toFixed(2)} ms)`;
  });
  console.log(
    `${name}: pages ${pages.join(', ')} of ${total} lines / page 0 of a small user: ${parts.join('; ')}`,
  );
}

/** Pages that nobody asked for before, against page 0 of users who were not asked for before. */
async function measureOnce(world: HistoryWorld): Promise<void> {
  const query = { userId: world.bigUser, feature: 'account', window: windows[0]!, pageSize: 10 };
  const { total } = await ask(world, query, 0);
  const took = async (work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    return performance.now() - startedAt;
  };
  const [deep, first]: [number[], number[]] = [[], []];
  for (let n = 1; n <= once; n++) {
    const page = Math.floor((((n * 0.618034) % 1) * total) / 10);
    deep.push(await took(() => ask(world, query, page)));
    const userId = world.smallUsers[(n * 31) % world.smallUsers.length]!;
    first.push(await took(() => ask(world, { ...query, userId }, 0)));
  }
  const at = (times: number[], share: number) =>
    times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!;
  const ratio = (share: number) => (at(deep, share) / at(first, share)).toFixed(2);
  console.log(
    `${once} pages all over the list, each read once, without HTTP / page 0 of as many small users: ` +
      `median ${ratio(0.5)} (${at(deep, 0.5).toFixed(2)} ms), 95th percentile ${ratio(0.95)} (${at(deep, 0.95).toFixed(2)} ms)`,
  );
}
