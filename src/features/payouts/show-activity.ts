import type { Ctx } from '#context';
import { countSettledByHour, type SettledInHour } from './queries/settled.ts';

const hourMs = 3_600_000;
const hoursShown = 24;

export interface Activity {
  hours: { hour: Date; settled: number }[];
  wallets: { network: string; address: string; settled: number }[];
}

/** How many payouts became final in each of the last 24 hours, the current one included, and by wallet. */
export async function showActivity(ctx: Ctx): Promise<Activity> {
  const thisHour = Math.floor(ctx.now.getTime() / hourMs) * hourMs;
  const since = new Date(thisHour - (hoursShown - 1) * hourMs);
  const rows = await countSettledByHour(ctx.db, since);
  const hours = Array.from({ length: hoursShown }, (_, at) => {
    const hour = new Date(since.getTime() + at * hourMs);
    return { hour, settled: sum(rows.filter((row) => row.hour.getTime() === hour.getTime())) };
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

const sum = (rows: readonly SettledInHour[]) => rows.reduce((total, { count }) => total + Number(count), 0);
