import { randomBytes, randomUUID } from 'node:crypto';
import { type BatchLine, postBatch } from '../../src/features/ledger/post-batch.ts';
import type { HistoryWorld } from '../history/world.ts';
import { measureRate, measureRounds, median } from '../measure.ts';
import { operatorContext } from '../withdrawals/world.ts';

const batchLines = 10_000;

export interface PostingRates {
  /** Lines a second, one in each call, ten calls at once. */
  singles: number;
  /** Lines a second, ten thousand in each call. */
  batches: number;
}

/** What `ledger.post` reaches for some users, its audit rows included. */
export async function measurePosting(
  { deps }: HistoryWorld,
  users: readonly string[],
): Promise<PostingRates> {
  const ctx = () => operatorContext(deps);
  const pick = () => users[Math.floor(Math.random() * users.length)]!;
  const post = (lines: BatchLine[]) => postBatch(ctx(), { key: randomUUID(), lines });
  const rates = await measureRounds(
    {
      singles: () => measureRate(() => post([deposit(pick(), 0)]), 2_000, 10),
      batches: async () => {
        const lines = Array.from({ length: batchLines }, (_, n) => deposit(users[n % users.length]!, n));
        const startedAt = performance.now();
        await post(lines);
        return (batchLines * 1000) / (performance.now() - startedAt);
      },
    },
    5,
  );
  return { singles: median(rates.singles), batches: median(rates.batches) };
}

export function deposit(userId: string, n: number): BatchLine {
  return {
    userId,
    network: 'polygon',
    transactionDate: new Date().toISOString(),
    transactionType: 'buy',
    description: 'Deposit of USDT on polygon',
    assetReceived: 'USDT',
    amountReceived: '12.5',
    ...(n % 2 === 0 && { transactionHash: `0x${randomBytes(32).toString('hex')}`, logIndex: 7 }),
  };
}

export function printRates(what: string, rates: PostingRates, limit: PostingRates): void {
  for (const kind of ['singles', 'batches'] as const) {
    const name = kind === 'singles' ? 'one line a call, 10 at once' : `${batchLines} lines a call`;
    const figures = `${Math.round(rates[kind])} lines/s against ${Math.round(limit[kind])}`;
    console.log(
      `ledger.post, ${name}, ${what} / into empty tables: ${(rates[kind] / limit[kind]).toFixed(2)} (${figures})`,
    );
  }
}
