import { type Ctx, contextFor, type KeyActor } from '#context';
import { fillAllKinds } from '../../src/features/ledger/jobs.ts';
import { readHistory } from '../../src/features/ledger/read-history.ts';
import type { HistoryArguments } from '../../src/features/ledger/tools-wire.ts';
import { median, noteWorst, ratioOf, takeTurns } from '../measure.ts';
import { firstDay, lastDay } from './seed.ts';
import type { HistoryWorld } from './world.ts';

type Arguments = Omit<HistoryArguments, 'filterByHash'>;

const at = (share: number) => new Date(firstDay + Math.round((lastDay - firstDay) * share)).toISOString();
const deep = { startDate: at(0.0312), endDate: at(0.6287) };

/** Answered from counts. */
const indexed: readonly Arguments[] = [
  { type: 'swap-bridge' },
  { asset: 'EURC' },
  { asset: 'USDC', direction: 'out' },
  { network: 'base' },
  { type: 'sell', asset: 'USDT', network: 'polygon' },
  { type: 'buy', direction: 'out' },
  { sort: 'oldest', asset: 'USDC' },
  deep,
  { ...deep, type: 'transfer-token' },
  { ...deep, asset: 'USDC' },
  { ...deep, network: 'polygon', direction: 'in', sort: 'oldest' },
];

/** Each line is looked at, up to a limit. */
const searched: readonly Arguments[] = [
  { text: 'cafe' },
  { text: 'no line has this' },
  { text: 'no line has this', asset: 'EURC' },
  { minAmount: '100000000' },
  { minAmount: '1', network: 'base' },
  { sort: 'largest' },
  { sort: 'largest', asset: 'USDC', ...deep },
  { sort: 'oldest', text: 'no line has this', type: 'sell' },
];

const goal = 3;
const searchGoalMs = 200;

/** `getAccountHistory` of the user with most lines, without HTTP: page 0 of filters against page 0 of all. */
export async function measureFilters(world: HistoryWorld): Promise<void> {
  await fillKinds(world);
  const actor: KeyActor = {
    kind: 'key',
    keyId: world.key.id,
    partnerId: world.partnerId,
    userId: world.bigUser,
    scopes: [],
  };
  const ctx: Ctx<KeyActor> = contextFor(world.deps, actor, world.deps.log);
  const worst = noteWorst(goal);
  for (const args of indexed) {
    const { summary } = await readHistory(ctx, args);
    const middle = Math.floor(summary!.count / 2 / 20);
    const calls = [{}, args, { ...args, currentPage: middle }];
    const times = await takeTurns(calls.map((one) => () => readHistory(ctx, one)));
    const ratios = times.slice(1).map((some) => ratioOf(some, times[0]!));
    for (const [n, ratio] of ratios.entries()) worst.note('bare', ratio, JSON.stringify(calls[n + 1]));
    const figures = times.map((some) => median(some).toFixed(2)).join(', ');
    const text = ratios.map((ratio) => ratio.toFixed(2)).join(' and ');
    console.log(
      `${JSON.stringify(args)}, ${summary!.count} lines: page 0 and page ${middle} / page 0 of all: ${text} (${figures} ms)`,
    );
  }
  worst.print('filters / page 0 of all');
  let slowest = 0;
  for (const args of searched) {
    const { summary } = await readHistory(ctx, args);
    const [times] = await takeTurns([() => readHistory(ctx, args)], 9);
    slowest = Math.max(slowest, median(times!));
    const part = summary!.searchedTo === undefined ? 'all' : `to ${summary!.searchedTo}`;
    console.log(
      `${JSON.stringify(args)}: ${median(times!).toFixed(0)} ms, found ${summary!.count}, searched ${part}`,
    );
  }
  console.log(`searches, slowest median (goal: at most ${searchGoalMs} ms): ${slowest.toFixed(0)} ms`);
}

export async function fillKinds({ deps }: HistoryWorld): Promise<void> {
  const startedAt = performance.now();
  let parts = 0;
  for (let done = 1; done > 0; parts += done) done = await fillAllKinds(deps);
  if (parts === 0) return;
  const took = seconds(performance.now() - startedAt);
  console.log(`kinds of all lines stored by the worker's job in ${took}, ${parts} parts`);
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
