import type { Ctx } from '#context';
import { hourMs } from '#platform/values/duration';
import { countSettledByHour, type SettledInHour, selectLatencies } from './queries/settled.ts';

const hoursShown = 24;

export interface Activity {
  hours: { hour: Date; settled: number; medianSeconds: number | null; p95Seconds: number | null }[];
  wallets: { network: string; address: string; settled: number }[];
}

/** How many payouts became final in each of the last 24 hours, the current one included, and by wallet. */
export async function showActivity(ctx: Ctx): Promise<Activity> {
  const thisHour = Math.floor(ctx.now.getTime() / hourMs) * hourMs;
  const since = new Date(thisHour - (hoursShown - 1) * hourMs);
  const rows = await countSettledByHour(ctx.db, since);
  const latencies = new Map((await selectLatencies(ctx.db, since)).map((one) => [one.hour.getTime(), one]));
  const hours = Array.from({ length: hoursShown }, (_, at) => {
    const hour = new Date(since.getTime() + at * hourMs);
    const latency = latencies.get(hour.getTime());
    return {
      hour,
      settled: sum(rows.filter((row) => row.hour.getTime() === hour.getTime())),
      medianSeconds: secondsOf(latency?.median),
      p95Seconds: secondsOf(latency?.slowest),
    };
  });
  const wallets = Map.groupBy(rows, ({ network, address }) => `${network} ${address}`);
  return {
    hours,
    wallets: [...wallets.values()].map((some) => {
      const { network, address } = some[0]!;
      return { network, address, settled: sum(some) };
    }),
  };
}

const secondsOf = (seconds: number | undefined) =>
  seconds === undefined ? null : Math.round(seconds * 10) / 10;

const sum = (rows: readonly SettledInHour[]) => rows.reduce((total, { count }) => total + Number(count), 0);
