// Asks the API at a steady rate, however slowly it answers, and says how long the slowest hundredth took.
import { setTimeout as sleep } from 'node:timers/promises';

export interface ReadOrder {
  url: string;
  token: string;
  seconds: number;
  perSecond: number;
}

export interface ReadReport {
  p99Ms: number;
}

process.on('message', async ({ url, token, seconds, perSecond }: ReadOrder) => {
  const times: number[] = [];
  const running: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let n = 0; n < seconds * perSecond; n += 1) {
    const dueAt = startedAt + (n * 1_000) / perSecond;
    await sleep(Math.max(dueAt - performance.now(), 0));
    running.push(
      fetch(url, { headers: { authorization: `Bearer ${token}` } }).then(async (response) => {
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`the API answered ${response.status}`);
        times.push(performance.now() - dueAt);
      }),
    );
  }
  await Promise.all(running);
  const sorted = times.toSorted((one, other) => one - other);
  process.send!({ p99Ms: sorted[Math.floor(sorted.length * 0.99)]! } satisfies ReadReport);
});
process.send!('ready');
